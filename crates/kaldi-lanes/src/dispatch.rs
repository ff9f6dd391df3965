//! The one place that chooses between instructions when a program runs.

use std::sync::LazyLock;

/// A calculation that is compiled twice: for every processor of its kind, and for processors with AVX2.
///
/// `compute`, and what it calls, have to be `#[inline(always)]`: only what the compiler puts into [`dispatch`] uses the
/// wider registers.
pub trait Kernel {
    /// What comes out.
    type Output;

    /// Calculates. Call [`dispatch`] instead.
    fn compute(self) -> Self::Output;

    /// Calculates the same without AVX2. Only a calculation that fuses products and sums needs one of its own: without
    /// the instruction, each of them is a call of a function.
    #[inline(always)]
    fn compute_without_avx2(self) -> Self::Output
    where
        Self: Sized,
    {
        self.compute()
    }
}

/// Runs a calculation with the widest registers that the processor has.
///
/// ```
/// use kaldi_lanes::{Kernel, Lanes, dispatch};
///
/// struct Sum<'a>(&'a [Lanes]);
///
/// impl Kernel for Sum<'_> {
///     type Output = Lanes;
///
///     #[inline(always)]
///     fn compute(self) -> Lanes {
///         self.0.iter().fold(Lanes::ZERO, |sum, lanes| sum + *lanes)
///     }
/// }
///
/// assert_eq!(dispatch(Sum(&[Lanes::splat(1.0), Lanes::splat(2.0)])), Lanes::splat(3.0));
/// ```
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        #[allow(unsafe_code)]
        // SAFETY: the processor has the instructions.
        return unsafe { compute_with_avx2(kernel) };
    }
    kernel.compute_without_avx2()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,fma")]
fn compute_with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.compute()
}

/// Returns whether the processor has AVX2, and with it BMI1 and FMA, as all have since 2013 (Intel) and 2015 (AMD).
///
/// With the environment variable `KALDI_NO_AVX2=1` it returns `false`: then what is tested is what other processors run.
#[inline]
pub fn has_avx2() -> bool {
    static HAS_AVX2: LazyLock<bool> =
        LazyLock::new(|| is_detected() && std::env::var_os("KALDI_NO_AVX2").is_none_or(|value| value != "1"));
    *HAS_AVX2
}

#[cfg(target_arch = "x86_64")]
fn is_detected() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("bmi1") && has!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn is_detected() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_turns_avx2_off() {
        let executable = std::env::current_exe().unwrap();
        let has = |value: &str| {
            let mut test = std::process::Command::new(&executable);
            test.args(["--exact", "dispatch::tests::avx2_is_off_if_the_environment_says_so"]);
            test.env("KALDI_NO_AVX2", value).env("EXPECTED_AVX2", if value == "1" { "no" } else { "as detected" });
            let output = test.output().unwrap();
            assert!(output.status.success(), "{value}: {}", String::from_utf8_lossy(&output.stdout));
            assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{value}");
        };
        has("1");
        has("0");
        has("");
    }

    /// Runs in processes of its own, too: see the test above.
    #[test]
    fn avx2_is_off_if_the_environment_says_so() {
        match std::env::var("EXPECTED_AVX2").as_deref() {
            Ok("no") => assert!(!has_avx2()),
            Ok(_) => assert_eq!(has_avx2(), is_detected()),
            Err(_) => assert!(is_detected() || !has_avx2()),
        }
    }
}

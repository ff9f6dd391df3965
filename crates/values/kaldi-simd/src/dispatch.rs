//! The one place that chooses between instructions when a program runs.

use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use crate::{Simd, WideLanes};

/// A calculation that is compiled twice: for every processor of its kind, and for processors with AVX2. If it wants to, also for
/// those with AVX-512.
///
/// `compute`, and what it calls, have to be `#[inline(always)]`: only what the compiler puts into [`dispatch`] uses the
/// wider registers.
pub trait Kernel {
    /// What comes out.
    type Output;

    /// Whether AVX-512 makes it faster. For most calculations on [`Lanes`](crate::Lanes) it does not: these are made for
    /// registers of 256 bits.
    const WANTS_AVX512: bool = false;

    /// Calculates. Call [`dispatch`] instead.
    fn compute(self) -> Self::Output;

    /// Calculates the same with AVX-512, which has twice as many registers of twice the width. Calculations for
    /// [`Simd`](crate::Simd) start from the value.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn compute_with_avx512(self, _zero: WideLanes) -> Self::Output
    where
        Self: Sized,
    {
        self.compute()
    }

    /// Calculates the same if the processor does not have [fused products](has_fused_products). Only a calculation that uses
    /// them needs one of its own: without the instruction, each of them is a call of a function.
    #[inline(always)]
    fn compute_without_fused(self) -> Self::Output
    where
        Self: Sized,
    {
        self.compute()
    }
}

/// Runs a calculation with the widest registers that the processor has.
///
/// ```
/// use kaldi_simd::{Kernel, Lanes, dispatch};
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
    {
        if K::WANTS_AVX512
            && let Some(zero) = WideLanes::zero()
        {
            return zero.dispatch(kernel);
        }
        if has_avx2() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has the instructions.
            return unsafe { compute_with_avx2(kernel) };
        }
        // Fused products come with AVX2.
        kernel.compute_without_fused()
    }
    #[cfg(not(target_arch = "x86_64"))]
    if has_fused_products() { kernel.compute() } else { kernel.compute_without_fused() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,fma")]
fn compute_with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.compute()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,bmi1,fma,popcnt")]
pub(crate) fn compute_with_avx512<K: Kernel>(kernel: K, zero: WideLanes) -> K::Output {
    kernel.compute_with_avx512(zero)
}

/// Returns whether the processor has AVX-512 as servers have it since 2017. `KALDI_NO_AVX512=1` turns it off, and
/// `KALDI_NO_AVX2=1` does, too.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512() -> bool {
    use std::arch::is_x86_feature_detected as has;
    static HAS_AVX512: LazyLock<bool> = LazyLock::new(|| {
        let is_detected = has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw");
        is_detected && has!("popcnt") && has_avx2() && !is_turned_off("KALDI_NO_AVX512")
    });
    *HAS_AVX512
}

/// Returns whether the processor has AVX-512 with its instructions on bytes (VBMI, VBMI2), as servers of Intel have since 2019
/// and those of AMD since 2022. `KALDI_NO_AVX512=1` turns it off, and `KALDI_NO_AVX2=1` does, too.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn has_avx512_bytes() -> bool {
    use std::arch::is_x86_feature_detected as has;
    static HAS_BYTES: LazyLock<bool> = LazyLock::new(|| {
        let is_detected = has!("avx512vbmi") && has!("avx512vbmi2") && has!("avx512cd");
        is_detected && has!("bmi2") && has!("lzcnt") && has_avx512()
    });
    *HAS_BYTES
}

/// Returns whether the environment variable is 1.
fn is_turned_off(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "1")
}

/// Returns whether the processor has AVX2, and with it BMI1 and FMA, as all have since 2013 (Intel) and 2015 (AMD).
///
/// With the environment variable `KALDI_NO_AVX2=1` it returns `false`: then what is tested is what other processors run.
#[inline]
pub fn has_avx2() -> bool {
    static HAS_AVX2: LazyLock<bool> = LazyLock::new(|| is_detected() && !is_turned_off("KALDI_NO_AVX2"));
    *HAS_AVX2
}

/// Returns whether the processor has an instruction that adds a product and rounds once: every 64-bit ARM has, and those of
/// x86-64 with [AVX2](has_avx2).
#[inline]
pub fn has_fused_products() -> bool {
    cfg!(target_arch = "aarch64") || has_avx2()
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
    fn the_environment_turns_wide_registers_off() {
        let executable = std::env::current_exe().unwrap();
        let has = |variable: &str, value: &str| {
            let mut test = std::process::Command::new(&executable);
            test.args(["--exact", "dispatch::tests::wide_registers_are_off_if_the_environment_says_so"]);
            test.env_remove("KALDI_NO_AVX2").env_remove("KALDI_NO_AVX512").env(variable, value);
            test.env("EXPECTED_OFF", if value == "1" { variable } else { "" });
            let output = test.output().unwrap();
            assert!(output.status.success(), "{variable}={value}: {}", String::from_utf8_lossy(&output.stdout));
            assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{variable}={value}");
        };
        for variable in ["KALDI_NO_AVX2", "KALDI_NO_AVX512"] {
            ["1", "0", ""].into_iter().for_each(|value| has(variable, value));
        }
    }

    /// Runs in processes of its own, too: see the test above.
    #[test]
    fn wide_registers_are_off_if_the_environment_says_so() {
        match std::env::var("EXPECTED_OFF").as_deref() {
            Ok("KALDI_NO_AVX2") => assert_eq!((has_avx2(), width()), (false, NARROW)),
            Ok("KALDI_NO_AVX512") => assert_eq!((has_avx2(), width() < 512), (is_detected(), true)),
            Ok(_) => assert_eq!(has_avx2(), is_detected()),
            Err(_) => assert!(is_detected() || width() == NARROW),
        }
        #[cfg(target_arch = "x86_64")]
        assert!(!has_avx512_bytes() || width() == 512);
    }

    /// What is left without wide registers. On ARM that is what processors with AVX2 calculate.
    const NARROW: u32 = if cfg!(target_arch = "aarch64") { 256 } else { 128 };

    /// The width of the registers for which a calculation runs that wants the widest.
    fn width() -> u32 {
        struct Width;

        impl Kernel for Width {
            type Output = u32;

            const WANTS_AVX512: bool = true;

            fn compute(self) -> u32 {
                256
            }

            #[cfg(target_arch = "x86_64")]
            fn compute_with_avx512(self, _zero: WideLanes) -> u32 {
                512
            }

            fn compute_without_fused(self) -> u32 {
                128
            }
        }

        dispatch(Width)
    }
}

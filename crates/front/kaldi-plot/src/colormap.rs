//! From values to colours.

use colorous::Gradient;
use plotters::style::RGBColor;

/// A range of colours for low to high values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Colormap {
    /// From violet over green to yellow, even to the eye, in print and for colour-blind people.
    #[default]
    Viridis,
    /// From black over red to light yellow.
    Magma,
    /// From black over orange to yellow.
    Inferno,
    /// From blue over red to yellow.
    Plasma,
    /// From blue over grey to yellow.
    Cividis,
    /// From white to black, like printed spectrograms.
    Gray,
    /// From blue over white to red, for values around zero.
    Diverging,
}

impl Colormap {
    /// So many colours from the lower end to the upper end: red, green and blue.
    pub fn colors(self, count: u8) -> Vec<[u8; 3]> {
        let last = f64::from(count.saturating_sub(1).max(1));
        (0..count)
            .map(|at| self.color(f64::from(at) / last))
            .map(|RGBColor(red, green, blue)| [red, green, blue])
            .collect()
    }

    /// The colour at a part of the range, from 0 to 1.
    pub(crate) fn color(self, part: f64) -> RGBColor {
        let (gradient, part): (Gradient, f64) = match self {
            Self::Viridis => (colorous::VIRIDIS, part),
            Self::Magma => (colorous::MAGMA, part),
            Self::Inferno => (colorous::INFERNO, part),
            Self::Plasma => (colorous::PLASMA, part),
            Self::Cividis => (colorous::CIVIDIS, part),
            Self::Gray => (colorous::GREYS, part),
            Self::Diverging => (colorous::RED_BLUE, 1.0 - part),
        };
        let [red, green, blue] = gradient.eval_continuous(part.clamp(0.0, 1.0)).into_array();
        RGBColor(red, green, blue)
    }
}

/// The colours of a map, computed in advance: more of them than eyes can distinguish.
#[derive(Clone, Debug)]
pub(crate) struct Palette(Vec<RGBColor>);

impl Palette {
    const LAST: usize = 1023;

    pub(crate) fn of(map: Colormap) -> Self {
        Self((0..=Self::LAST).map(|at| map.color(at as f64 / Self::LAST as f64)).collect())
    }

    /// Nearly [`Colormap::color`].
    pub(crate) fn color(&self, part: f64) -> RGBColor {
        self.0[(part.clamp(0.0, 1.0) * Self::LAST as f64).round() as usize]
    }
}

/// Values without a place in a colour map, and how they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Nan,
    Infinite,
    MinusInfinite,
}

impl Special {
    pub(crate) const ALL: [Self; 3] = [Self::Nan, Self::Infinite, Self::MinusInfinite];

    pub(crate) fn of(value: f64) -> Option<Self> {
        match value {
            _ if value.is_nan() => Some(Self::Nan),
            f64::INFINITY => Some(Self::Infinite),
            f64::NEG_INFINITY => Some(Self::MinusInfinite),
            _ => None,
        }
    }

    /// A colour that is unlike those of all maps.
    pub(crate) fn color(self) -> RGBColor {
        match self {
            Self::Nan => RGBColor(235, 0, 0),
            Self::Infinite => RGBColor(255, 0, 255),
            Self::MinusInfinite => RGBColor(0, 225, 255),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nan => "nan",
            Self::Infinite => "inf",
            Self::MinusInfinite => "-inf",
        }
    }
}

/// Which special values were drawn, for the legend.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Specials([bool; 3]);

impl Specials {
    pub(crate) fn add(&mut self, special: Special) {
        self.0[special as usize] = true;
    }

    pub(crate) fn extend(&mut self, others: Self) {
        others.iter().for_each(|special| self.add(special));
    }

    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = Special> {
        Special::ALL.into_iter().filter(move |&special| self.0[special as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: RGBColor, b: RGBColor) -> u32 {
        u32::from(a.0.abs_diff(b.0)) + u32::from(a.1.abs_diff(b.1)) + u32::from(a.2.abs_diff(b.2))
    }

    #[test]
    fn viridis_goes_from_violet_to_yellow() {
        assert_eq!(Colormap::Viridis.color(0.0), RGBColor(68, 1, 84));
        assert_eq!(Colormap::Viridis.color(1.0), RGBColor(253, 231, 37));
        assert_eq!(Colormap::Viridis.color(-3.0), Colormap::Viridis.color(0.0));
        assert_eq!(Colormap::Viridis.color(7.0), Colormap::Viridis.color(1.0));
    }

    #[test]
    fn colours_go_from_end_to_end() {
        assert_eq!(Colormap::Viridis.colors(3), [[68, 1, 84], [32, 144, 140], [253, 231, 37]]);
        assert_eq!(Colormap::Viridis.colors(1), [[68, 1, 84]]);
        assert_eq!(Colormap::Viridis.colors(0), [[0; 3]; 0]);
    }

    #[test]
    fn blue_is_below_zero_and_red_above() {
        let RGBColor(red, _, blue) = Colormap::Diverging.color(0.1);
        assert!(blue > red);
        let RGBColor(red, _, blue) = Colormap::Diverging.color(0.9);
        assert!(red > blue);
    }

    const ALL: [Colormap; 7] = [
        Colormap::Viridis,
        Colormap::Magma,
        Colormap::Inferno,
        Colormap::Plasma,
        Colormap::Cividis,
        Colormap::Gray,
        Colormap::Diverging,
    ];

    #[test]
    fn a_palette_has_the_colours_of_its_map() {
        for map in ALL {
            let palette = Palette::of(map);
            for part in [-1.0, 0.0, 0.1, 0.3333, 0.5, 0.77, 1.0, 2.0, f64::NAN] {
                let (near, exact) = (palette.color(part), map.color(part));
                let near = distance(near, exact) <= 3;
                assert!(near || part.is_nan(), "{map:?} {part}");
            }
            assert_eq!((palette.color(0.0), palette.color(1.0)), (map.color(0.0), map.color(1.0)));
        }
    }

    #[test]
    fn special_values_have_colours_of_their_own() {
        for map in ALL {
            for part in 0..=100 {
                let color = map.color(f64::from(part) / 100.0);
                for special in Special::ALL {
                    assert!(distance(color, special.color()) > 40, "{map:?} {part} {special:?}");
                }
            }
        }
    }
}

//! From values to colours.

use std::str::FromStr;

use colorous::Gradient;

use crate::{Canvas, Color, Error};

/// A way from low to high values through colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colormap {
    /// From violet over green to yellow, even to the eye, in print and to who cannot see all colours.
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
    /// From white to black, as spectrograms were printed.
    Gray,
    /// From blue over white to red, for values around zero.
    Diverging,
}

/// Names on the command line.
const NAMES: [(&str, Colormap); 7] = [
    ("viridis", Colormap::Viridis),
    ("magma", Colormap::Magma),
    ("inferno", Colormap::Inferno),
    ("plasma", Colormap::Plasma),
    ("cividis", Colormap::Cividis),
    ("gray", Colormap::Gray),
    ("diverging", Colormap::Diverging),
];

impl FromStr for Colormap {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
        let names = NAMES.map(|(name, _)| name).join(", ");
        found.map(|&(_, map)| map).ok_or_else(|| Error::option("colormap", format!("one of {names}"), name))
    }
}

impl Colormap {
    /// The colour of a part of the way, from 0 to 1.
    pub fn color(self, part: f64) -> Color {
        let (gradient, part): (Gradient, f64) = match self {
            Self::Viridis => (colorous::VIRIDIS, part),
            Self::Magma => (colorous::MAGMA, part),
            Self::Inferno => (colorous::INFERNO, part),
            Self::Plasma => (colorous::PLASMA, part),
            Self::Cividis => (colorous::CIVIDIS, part),
            Self::Gray => (colorous::GREYS, part),
            Self::Diverging => (colorous::RED_BLUE, 1.0 - part),
        };
        Color(gradient.eval_continuous(part.clamp(0.0, 1.0)).into_array())
    }
}

/// The colours of a map, computed beforehand: more of them than eyes can tell apart.
#[derive(Clone, Debug)]
pub(crate) struct Palette(Vec<Color>);

impl Palette {
    const LAST: usize = 1023;

    pub(crate) fn of(map: Colormap) -> Self {
        Self((0..=Self::LAST).map(|at| map.color(at as f64 / Self::LAST as f64)).collect())
    }

    /// [`Colormap::color`], or nearly.
    pub(crate) fn color(&self, part: f64) -> Color {
        self.0[(part.clamp(0.0, 1.0) * Self::LAST as f64).round() as usize]
    }
}

/// Values that no place in a colour map is for, and how they are shown.
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

    /// A colour that no map comes near to.
    pub(crate) fn color(self) -> Color {
        match self {
            Self::Nan => Color([235, 0, 0]),
            Self::Infinite => Color([255, 0, 255]),
            Self::MinusInfinite => Color([0, 225, 255]),
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

    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = Special> {
        Special::ALL.into_iter().filter(move |&special| self.0[special as usize])
    }

    /// Draws coloured squares with their names in one line that ends at `right`.
    pub(crate) fn draw_legend(self, canvas: &mut Canvas, font: crate::font::Font, mut right: i64, top: i64) {
        for special in self.iter().rev() {
            right -= font.width(special.name());
            font.draw(canvas, right, top, special.name());
            let (side, middle) = (font.height() * 5 / 8, top + font.height() / 2);
            right -= side + font.height() / 4;
            canvas.fill(right..right + side, middle - side / 2..middle - side / 2 + side, special.color());
            right -= font.height();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viridis_goes_from_violet_to_yellow() {
        assert_eq!(Colormap::Viridis.color(0.0), Color([68, 1, 84]));
        assert_eq!(Colormap::Viridis.color(1.0), Color([253, 231, 37]));
        assert_eq!(Colormap::Viridis.color(-3.0), Colormap::Viridis.color(0.0));
        assert_eq!(Colormap::Viridis.color(7.0), Colormap::Viridis.color(1.0));
    }

    #[test]
    fn blue_is_below_zero_and_red_above() {
        let Color([red, _, blue]) = Colormap::Diverging.color(0.1);
        assert!(blue > red);
        let Color([red, _, blue]) = Colormap::Diverging.color(0.9);
        assert!(red > blue);
    }

    #[test]
    fn maps_have_names_in_any_case() {
        for (name, map) in NAMES {
            assert_eq!(name.to_uppercase().parse(), Ok(map));
        }
        let message = "jet".parse::<Colormap>().unwrap_err().to_string();
        assert!(message.starts_with("expected --colormap to be one of viridis, magma, "), "{message}");
        assert!(message.ends_with(", diverging, got jet"), "{message}");
    }

    #[test]
    fn a_palette_has_the_colours_of_its_map() {
        for (_, map) in NAMES {
            let palette = Palette::of(map);
            for part in [-1.0, 0.0, 0.1, 0.3333, 0.5, 0.77, 1.0, 2.0, f64::NAN] {
                let near = palette.color(part).0.iter().zip(map.color(part).0).all(|(a, b)| a.abs_diff(b) <= 1);
                assert!(near || part.is_nan(), "{map:?} {part}");
            }
            assert_eq!((palette.color(0.0), palette.color(1.0)), (map.color(0.0), map.color(1.0)));
        }
    }

    #[test]
    fn special_values_have_colours_of_their_own() {
        for (_, map) in NAMES {
            for part in 0..=100 {
                let color = map.color(f64::from(part) / 100.0);
                for special in Special::ALL {
                    let distance: i32 =
                        color.0.iter().zip(special.color().0).map(|(&a, b)| (i32::from(a) - i32::from(b)).abs()).sum();
                    assert!(distance > 40, "{map:?} {part} {special:?}");
                }
            }
        }
    }
}

//! The tray's ring, drawn at runtime.
//!
//! Why drawn and not shipped as files: the arc shows the level, and a disk that is full must not
//! keep the icon from changing. Colour never speaks alone: each verdict has its own silhouette, so
//! that macOS (which takes only the alpha of a template), a colour-blind eye and a 16 pixel panel
//! see the same.
//!
//! | verdict  | silhouette                                  |
//! | -------- | ------------------------------------------- |
//! | Ok       | thin ring                                   |
//! | Low      | thick ring with a dot in its middle         |
//! | Critical | filled disc with an exclamation mark cut out |
//! | Unknown  | dashed ring                                 |

use sandtray_core::verdict::Verdict;
use tiny_skia::{
    BlendMode, Color, FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Stroke, Transform,
};

/// What the icon lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// Known to be dark (GNOME's top bar).
    Dark,
    /// Known to be light.
    Light,
    /// Nobody says: tones that keep 3:1 on both.
    Either,
    /// macOS colours it: black with alpha only.
    Template,
}

/// All that the icon shows; two equal faces have the same pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// The worst verdict.
    pub verdict: Verdict,
    /// How full, in steps of 2 % (finer than a pixel of the arc); none where unknown.
    pub level: Option<u8>,
}

impl Face {
    /// The face of a verdict and the percentage of the gauge it comes from.
    #[must_use]
    pub fn new(verdict: Verdict, percent: Option<f64>) -> Self {
        // A float casts to the nearest bound, and NaN to 0, so no percentage can panic here.
        let step = |percent: f64| ((percent.clamp(0.0, 100.0) / 2.0).round() * 2.0) as u8;
        Self {
            verdict,
            level: percent.filter(|percent| percent.is_finite()).map(step),
        }
    }
}

/// Edges of a panel icon at which the drawing is tested, smallest first.
pub const SIZES: [u32; 6] = [16, 22, 24, 32, 44, 64];

/// Draws the ring: `size` × `size` pixels, RGBA, alpha not premultiplied. Empty for a size of 0.
#[must_use]
pub fn ring(size: u32, face: Face, panel: Panel) -> Vec<u8> {
    let Some(mut pixmap) = Pixmap::new(size, size) else {
        return Vec::new();
    };
    let ink = ink(face.verdict, panel);
    // All lengths are in units of the 22 pixel panel that Linux desktops and macOS share.
    let pen = Pen {
        unit: size as f32 / 22.0,
        middle: size as f32 / 2.0,
    };
    match face.verdict {
        Verdict::Critical => pen.alarm(&mut pixmap, ink),
        Verdict::Unknown => pen.dashes(&mut pixmap, ink),
        Verdict::Low => {
            pen.gauge(&mut pixmap, ink, face.level, 4.0);
            pen.dot(&mut pixmap, ink, 0.0, 2.5, BlendMode::SourceOver);
        }
        Verdict::Ok => pen.gauge(&mut pixmap, ink, face.level, 3.0),
    }
    pixmap
        .pixels()
        .iter()
        .flat_map(|pixel| {
            let plain = pixel.demultiply();
            [plain.red(), plain.green(), plain.blue(), plain.alpha()]
        })
        .collect()
}

/// The colour of a verdict on a panel.
fn ink(verdict: Verdict, panel: Panel) -> [u8; 3] {
    match (panel, verdict) {
        (Panel::Template, _) => [0, 0, 0],
        (Panel::Dark, Verdict::Ok) => [0xf2, 0xf2, 0xf0],
        (Panel::Dark, Verdict::Unknown) => [0xc4, 0xc4, 0xc2],
        (Panel::Dark, Verdict::Low) => [0xff, 0xb5, 0x47],
        (Panel::Dark, Verdict::Critical) => [0xff, 0x72, 0x66],
        (Panel::Light, Verdict::Ok) => [0x2c, 0x2c, 0x2a],
        (Panel::Light, Verdict::Unknown) => [0x66, 0x66, 0x64],
        (Panel::Light, Verdict::Low) => [0xa8, 0x5f, 0x00],
        (Panel::Light, Verdict::Critical) => [0xbe, 0x22, 0x18],
        (Panel::Either, Verdict::Ok | Verdict::Unknown) => [0x86, 0x89, 0x88],
        (Panel::Either, Verdict::Low) => [0xc6, 0x77, 0x00],
        (Panel::Either, Verdict::Critical) => [0xec, 0x4a, 0x3e],
    }
}

/// Places shapes around the middle, in units.
struct Pen {
    unit: f32,
    middle: f32,
}

impl Pen {
    /// Outer edge of every silhouette: one unit of air on each side.
    const EDGE: f32 = 10.0;

    /// A ring whose filled part starts at the top and runs clockwise.
    fn gauge(&self, pixmap: &mut Pixmap, ink: [u8; 3], level: Option<u8>, width: f32) {
        // An unknown level is a whole faint ring, not an empty one that would look like 0 %.
        let part = level.map_or(0.0, |level| f32::from(level) / 100.0);
        self.arc(pixmap, paint(ink, 0.42), 0.0, 1.0, width, LineCap::Butt);
        if part > 0.0 {
            self.arc(pixmap, paint(ink, 1.0), 0.0, part, width, LineCap::Butt);
        }
    }

    /// Six dashes.
    fn dashes(&self, pixmap: &mut Pixmap, ink: [u8; 3]) {
        for dash in 0..6u8 {
            let start = (f32::from(dash) - 0.29) / 6.0;
            self.arc(
                pixmap,
                paint(ink, 1.0),
                start,
                0.58 / 6.0,
                3.0,
                LineCap::Butt,
            );
        }
    }

    /// A full disc with an exclamation mark cut out.
    fn alarm(&self, pixmap: &mut Pixmap, ink: [u8; 3]) {
        self.dot(pixmap, ink, 0.0, Self::EDGE, BlendMode::SourceOver);
        let mut bar = PathBuilder::new();
        bar.move_to(self.middle, self.middle - 4.6 * self.unit);
        bar.line_to(self.middle, self.middle + 0.8 * self.unit);
        let mut cut = paint(ink, 1.0);
        cut.blend_mode = BlendMode::DestinationOut;
        self.stroke(pixmap, bar.finish(), &cut, 3.0, LineCap::Round);
        self.dot(pixmap, ink, 5.2, 1.75, BlendMode::DestinationOut);
    }

    /// A disc, `below` units under the middle.
    fn dot(&self, pixmap: &mut Pixmap, ink: [u8; 3], below: f32, radius: f32, mode: BlendMode) {
        let mut paint = paint(ink, 1.0);
        paint.blend_mode = mode;
        let y = self.middle + below * self.unit;
        if let Some(disc) = PathBuilder::from_circle(self.middle, y, radius * self.unit) {
            pixmap.fill_path(
                &disc,
                &paint,
                FillRule::Winding,
                Transform::identity(),
                None,
            );
        }
    }

    /// A part of the ring; `start` and `part` are shares of a turn, clockwise from the top.
    fn arc(
        &self,
        pixmap: &mut Pixmap,
        paint: Paint<'_>,
        start: f32,
        part: f32,
        width: f32,
        cap: LineCap,
    ) {
        let radius = (Self::EDGE - width / 2.0) * self.unit;
        let mut path = PathBuilder::new();
        // 96 chords a turn stray less than 0.02 pixel from the circle at the largest size.
        let chords = (part * 96.0).ceil().max(1.0) as u16;
        for chord in 0..=chords {
            let turn = start + part * f32::from(chord) / f32::from(chords);
            let (sin, cos) = (turn * std::f32::consts::TAU).sin_cos();
            let (x, y) = (self.middle + radius * sin, self.middle - radius * cos);
            if chord == 0 {
                path.move_to(x, y);
            } else {
                path.line_to(x, y);
            }
        }
        self.stroke(pixmap, path.finish(), &paint, width, cap);
    }

    fn stroke(
        &self,
        pixmap: &mut Pixmap,
        path: Option<Path>,
        paint: &Paint<'_>,
        width: f32,
        line_cap: LineCap,
    ) {
        let stroke = Stroke {
            width: width * self.unit,
            line_cap,
            ..Stroke::default()
        };
        if let Some(path) = path {
            pixmap.stroke_path(&path, paint, &stroke, Transform::identity(), None);
        }
    }
}

fn paint([red, green, blue]: [u8; 3], alpha: f32) -> Paint<'static> {
    let mut paint = Paint::default();
    let mut color = Color::from_rgba8(red, green, blue, 255);
    color.set_alpha(alpha);
    paint.set_color(color);
    paint
}

#[cfg(test)]
mod tests;

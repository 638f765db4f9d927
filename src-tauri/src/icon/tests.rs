use super::*;

const VERDICTS: [Verdict; 4] = [
    Verdict::Ok,
    Verdict::Low,
    Verdict::Critical,
    Verdict::Unknown,
];
const PANELS: [Panel; 4] = [Panel::Dark, Panel::Light, Panel::Either, Panel::Template];

fn face(verdict: Verdict, percent: f64) -> Face {
    Face::new(verdict, Some(percent))
}

/// Share of pixels whose alpha differs clearly: what is left of the icon without its colours.
fn silhouettes_differ(size: u32, one: Face, other: Face) -> f64 {
    let (one, other) = (
        ring(size, one, Panel::Template),
        ring(size, other, Panel::Template),
    );
    let differing = one
        .chunks(4)
        .zip(other.chunks(4))
        .filter(|(one, other)| one[3].abs_diff(other[3]) > 96)
        .count();
    differing as f64 / f64::from(size * size)
}

#[test]
fn every_verdict_has_a_silhouette_of_its_own_at_every_size() {
    for size in SIZES {
        for (at, one) in VERDICTS.into_iter().enumerate() {
            for other in VERDICTS.into_iter().skip(at + 1) {
                let share = silhouettes_differ(size, face(one, 85.0), face(other, 85.0));
                assert!(share > 0.05, "{one:?} and {other:?} at {size}: {share}");
            }
        }
    }
}

#[test]
fn the_arc_follows_the_level() {
    for verdict in [Verdict::Ok, Verdict::Low] {
        for (less, more) in [(0.0, 10.0), (40.0, 60.0), (90.0, 100.0)] {
            let share = silhouettes_differ(22, face(verdict, less), face(verdict, more));
            assert!(share > 0.01, "{verdict:?} {less} to {more}: {share}");
        }
    }
}

#[test]
fn an_icon_has_all_its_pixels_air_at_its_corners_and_ink_inside() {
    for size in SIZES {
        for verdict in VERDICTS {
            for panel in PANELS {
                let pixels = ring(size, face(verdict, 50.0), panel);
                assert_eq!(pixels.len(), (size * size * 4) as usize);
                assert_eq!(pixels[3], 0, "corner of {verdict:?} at {size}");
                assert!(pixels.chunks(4).any(|pixel| pixel[3] == 255));
            }
        }
    }
}

#[test]
fn a_template_is_black_with_alpha_only() {
    for verdict in VERDICTS {
        let pixels = ring(36, face(verdict, 50.0), Panel::Template);
        assert!(pixels.chunks(4).all(|pixel| pixel[..3] == [0, 0, 0]));
    }
}

#[test]
fn inks_keep_three_to_one_on_the_panels_they_are_for() {
    let dark = [[0x2e, 0x34, 0x36], [0x1c, 0x1c, 0x1c], [0, 0, 0]];
    let light = [[0xf3, 0xf3, 0xf3], [0xf6, 0xf5, 0xf4], [0xff, 0xff, 0xff]];
    for verdict in VERDICTS {
        for ground in dark {
            for panel in [Panel::Dark, Panel::Either] {
                let ratio = contrast(ink(verdict, panel), ground);
                assert!(
                    ratio >= 3.0,
                    "{verdict:?} {panel:?} on {ground:x?}: {ratio}"
                );
            }
        }
        for ground in light {
            for panel in [Panel::Light, Panel::Either] {
                let ratio = contrast(ink(verdict, panel), ground);
                assert!(
                    ratio >= 3.0,
                    "{verdict:?} {panel:?} on {ground:x?}: {ratio}"
                );
            }
        }
    }
}

#[test]
fn strange_percentages_and_sizes_still_draw() {
    for percent in [f64::NAN, f64::INFINITY, -5.0, 1e300] {
        let face = Face::new(Verdict::Low, Some(percent));
        assert_eq!(ring(22, face, Panel::Dark).len(), 22 * 22 * 4);
    }
    assert!(ring(0, face(Verdict::Ok, 1.0), Panel::Dark).is_empty());
    assert_eq!(ring(1, face(Verdict::Ok, 1.0), Panel::Dark).len(), 4);
}

#[test]
fn faces_change_by_steps_so_that_the_tray_is_seldom_redrawn() {
    assert_eq!(face(Verdict::Ok, 40.2), face(Verdict::Ok, 40.8));
    assert_ne!(face(Verdict::Ok, 40.2), face(Verdict::Ok, 42.0));
    assert_ne!(face(Verdict::Ok, 40.2), face(Verdict::Low, 40.2));
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let luminance = |colour: [u8; 3]| {
        let [red, green, blue] = colour.map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.040_45 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

/// Draws every verdict, level, size and panel as one picture, and writes it for eyes:
/// `SANDTRAY_CONTACT_SHEET=sheet.png cargo test -p sandtray contact_sheet`.
#[test]
fn contact_sheet() {
    let grounds = [
        (Panel::Dark, [0x1c, 0x1c, 0x1c]),
        (Panel::Light, [0xf6, 0xf5, 0xf4]),
        (Panel::Either, [0x2e, 0x34, 0x36]),
        (Panel::Either, [0xf3, 0xf3, 0xf3]),
        (Panel::Template, [0xd8, 0xe2, 0xee]),
    ];
    let faces = [
        face(Verdict::Ok, 12.0),
        face(Verdict::Ok, 61.0),
        face(Verdict::Low, 83.0),
        face(Verdict::Low, 40.0),
        face(Verdict::Critical, 94.0),
        Face::new(Verdict::Unknown, None),
        Face::new(Verdict::Ok, None),
    ];
    let cell = 72;
    let (columns, rows) = (faces.len() * SIZES.len(), grounds.len());
    let mut sheet = Pixmap::new(columns as u32 * cell, rows as u32 * cell).unwrap();
    for (row, (panel, [red, green, blue])) in grounds.into_iter().enumerate() {
        let mut paint = Paint::default();
        paint.set_color_rgba8(red, green, blue, 255);
        let top = row as u32 * cell;
        let band = tiny_skia::Rect::from_xywh(0.0, top as f32, sheet.width() as f32, cell as f32);
        sheet.fill_rect(band.unwrap(), &paint, Transform::identity(), None);
        for (column, (face, size)) in faces
            .into_iter()
            .flat_map(|face| SIZES.map(|size| (face, size)))
            .enumerate()
        {
            let mut icon = Pixmap::new(size, size).unwrap();
            for (to, from) in icon
                .pixels_mut()
                .iter_mut()
                .zip(ring(size, face, panel).chunks(4))
            {
                *to =
                    tiny_skia::ColorU8::from_rgba(from[0], from[1], from[2], from[3]).premultiply();
            }
            let (x, y) = (column as u32 * cell, top);
            let inset = (cell - size) / 2;
            sheet.draw_pixmap(
                (x + inset) as i32,
                (y + inset) as i32,
                icon.as_ref(),
                &tiny_skia::PixmapPaint::default(),
                Transform::identity(),
                None,
            );
        }
    }
    assert!(sheet.pixels().iter().all(|pixel| pixel.alpha() == 255));
    if let Some(file) = std::env::var_os("SANDTRAY_CONTACT_SHEET") {
        sheet.save_png(file).unwrap();
    }
}

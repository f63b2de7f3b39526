//! Pictures as SVG: shapes and text in colours that can be read on light and on dark pages.

use std::fmt::Write;

/// The size of text in pixels, and the greatest width of a letter as a share of it.
pub(super) const SIZE: f64 = 12.0;
const LETTER: f64 = 0.58;

/// The colours of lines and bars on light pages and on dark ones. After the last colour, the first is used again.
/// Legends are in the order of the bars.
const COLOURS: [(&str, &str); 12] = [
    ("#0969da", "#58a6ff"),
    ("#bc4c00", "#f0883e"),
    ("#1a7f37", "#56d364"),
    ("#8250df", "#bc8cff"),
    ("#bf3989", "#f778ba"),
    ("#0b7285", "#39c5cf"),
    ("#7d4e00", "#d9a441"),
    ("#57606a", "#9ea7b3"),
    ("#cf222e", "#ff7b72"),
    ("#4d7c0f", "#a3d977"),
    ("#3d5a80", "#98c1d9"),
    ("#9d4edd", "#e2b6ff"),
];

/// The position of a text relative to its point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The rectangle of a text: left, top, right, bottom.
pub(super) type Area = [f64; 4];

/// A picture under construction.
pub(super) struct Svg {
    width: f64,
    height: f64,
    pub(super) title: String,
    body: String,
    /// The texts with their rectangles, for tests that they do not overlap.
    words: Vec<(String, Area)>,
}

impl Svg {
    pub(super) fn new(width: f64, title: &str) -> Self {
        let mut svg = Self { width, height: 0.0, title: title.to_owned(), body: String::new(), words: Vec::new() };
        svg.bold([0.0, 1.5 * SIZE], title);
        svg
    }

    fn bold(&mut self, at: [f64; 2], text: &str) {
        self.write(at, Anchor::Start, text, 1.25 * SIZE, " class=\"title\"");
    }

    /// Draws a text on its baseline, with the point at its left end, in its middle or at its right end.
    pub(super) fn text(&mut self, at: [f64; 2], anchor: Anchor, text: &str) {
        self.write(at, anchor, text, SIZE, "");
    }

    fn write(&mut self, [x, y]: [f64; 2], anchor: Anchor, text: &str, size: f64, class: &str) {
        let width = width(text) * size / SIZE;
        let (name, left) = match anchor {
            Anchor::Start => ("start", x),
            Anchor::Middle => ("middle", x - width / 2.0),
            Anchor::End => ("end", x - width),
        };
        self.words.push((text.to_owned(), [left, y - 0.8 * size, left + width, y + 0.2 * size]));
        let text = escape(text);
        self.line(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{name}\"{class}>{text}</text>"));
    }

    /// Draws a filled rectangle: left, top, width, height.
    pub(super) fn bar(&mut self, [x, y, width, height]: [f64; 4], colour: usize) {
        let colour = colour % COLOURS.len();
        self.line(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"f{colour}\"/>"
        ));
    }

    /// Draws a thin line of the frame.
    pub(super) fn rule(&mut self, [x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) {
        self.line(&format!("<path d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\" class=\"rule\"/>"));
    }

    /// Draws a line through points.
    pub(super) fn curve(&mut self, points: &[[f64; 2]], colour: usize, dashed: bool) {
        let mut path = String::new();
        for (index, [x, y]) in points.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(path, "{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' });
        }
        let (colour, dashes) = (colour % COLOURS.len(), if dashed { " stroke-dasharray=\"6 4\"" } else { "" });
        self.line(&format!("<path d=\"{path}\" class=\"s{colour}\"{dashes}/>"));
    }

    /// Draws a round point.
    pub(super) fn dot(&mut self, [x, y]: [f64; 2], colour: usize) {
        let colour = colour % COLOURS.len();
        self.line(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" class=\"f{colour}\"/>"));
    }

    /// Draws a diamond.
    pub(super) fn diamond(&mut self, [x, y]: [f64; 2], colour: usize) {
        let colour = colour % COLOURS.len();
        self.line(&format!("<path d=\"M{x:.1} {y:.1}m-5 0l5 -5l5 5l-5 5z\" class=\"f{colour}\"/>"));
    }

    fn line(&mut self, text: &str) {
        self.body += text;
        self.body.push('\n');
    }

    /// Sets the height of the picture.
    pub(super) fn finished_at(self, height: f64) -> Self {
        Self { height, ..self }
    }

    /// Returns the texts that overlap others or are cut off.
    #[cfg(test)]
    pub(super) fn illegible(&self) -> Vec<&str> {
        let overlap = |a: &Area, b: &Area| a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
        let cut = |area: &Area| area[0] < 0.0 || area[1] < 0.0 || area[2] > self.width || area[3] > self.height;
        let bad = |(index, (_, area)): &(usize, &(String, Area))| {
            cut(area) || self.words[..*index].iter().any(|(_, other)| overlap(area, other))
        };
        self.words.iter().enumerate().filter(bad).map(|(_, (text, _))| text.as_str()).collect()
    }

    /// Returns the text of the file.
    pub(super) fn finish(&self) -> String {
        let Self { width, height, body, .. } = self;
        let title = escape(&self.title);
        let colours = |dark: bool| -> String {
            let style = |(index, (light, on_dark)): (usize, &(&str, &str))| {
                let colour = if dark { on_dark } else { light };
                format!(".f{index}{{fill:{colour}}}.s{index}{{stroke:{colour};fill:none;stroke-width:2}}")
            };
            COLOURS.iter().enumerate().map(style).collect()
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width} {height:.0}\" role=\"img\">\n<title>{title}</title>\n<style>\n\
             text{{font:{SIZE}px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}}\n\
             .title{{font-size:{}px;font-weight:bold}}\n.rule{{stroke:#d8dee4;stroke-width:1;fill:none}}\n{}\n\
             @media (prefers-color-scheme:dark){{text{{fill:#e6edf3}}.rule{{stroke:#30363d}}{}}}\n</style>\n{body}</svg>\n",
            1.25 * SIZE,
            colours(false),
            colours(true)
        )
    }
}

/// Returns the greatest width of a text in pixels.
pub(super) fn width(text: &str) -> f64 {
    text.chars().count() as f64 * SIZE * LETTER
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

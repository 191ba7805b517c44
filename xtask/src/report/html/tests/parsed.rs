// SPDX-License-Identifier: MIT OR Apache-2.0
//! A page as a browser reads it.

use std::collections::{BTreeMap, BTreeSet};

use html5ever::tendril::TendrilSink as _;
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// What the tests ask about.
#[derive(Debug, Default)]
pub struct Parsed {
    pub errors: Vec<String>,
    pub ids: Vec<String>,
    pub hrefs: Vec<String>,
    /// Links of the grid.
    pub grid: BTreeSet<String>,
    /// Levels of headings, in their order.
    pub headings: Vec<u32>,
    /// How often each element is there.
    pub elements: BTreeMap<String, usize>,
    pub attributes: BTreeSet<String>,
    /// Sections that are unfolded.
    pub open: usize,
    /// The first heading's text.
    pub heading: String,
    /// Texts of the list of counts.
    pub counts: Vec<String>,
    /// All text.
    pub text: String,
}

impl Parsed {
    pub fn of(page: &str) -> Self {
        let options = html5ever::ParseOpts {
            tokenizer: html5ever::tokenizer::TokenizerOpts {
                exact_errors: true,
                ..Default::default()
            },
            ..Default::default()
        };
        let dom = html5ever::parse_document(RcDom::default(), options).one(page);
        let errors = dom.errors.borrow().iter().map(ToString::to_string).collect();
        let mut parsed = Self { errors, ..Self::default() };
        parsed.visit(&dom.document, false);
        parsed.text = text(&dom.document);
        parsed
    }

    fn visit(&mut self, node: &Handle, in_grid: bool) {
        let mut in_grid = in_grid;
        if let NodeData::Element { name, attrs, .. } = &node.data {
            let element = name.local.to_string();
            let attributes: BTreeMap<_, _> = attrs
                .borrow()
                .iter()
                .map(|a| (a.name.local.to_string(), a.value.to_string()))
                .collect();
            let class = attributes.get("class").map_or("", String::as_str);
            in_grid |= element == "table" && class == "grid";
            self.ids.extend(attributes.get("id").cloned());
            self.hrefs.extend(attributes.get("href").cloned());
            if in_grid {
                self.grid.extend(attributes.get("href").cloned());
            }
            if let Some(level) = element.strip_prefix('h').and_then(|l| l.parse().ok()) {
                if self.headings.is_empty() {
                    self.heading = text(node);
                }
                self.headings.push(level);
            }
            if element == "ul" && class == "counts" {
                self.counts.extend(node.children.borrow().iter().map(text));
            }
            self.open += usize::from(element == "details" && attributes.contains_key("open"));
            self.attributes.extend(attributes.into_keys());
            *self.elements.entry(element).or_default() += 1;
        }
        for child in node.children.borrow().iter() {
            self.visit(child, in_grid);
        }
    }
}

fn text(node: &Handle) -> String {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().to_string(),
        _ => node.children.borrow().iter().map(text).collect(),
    }
}

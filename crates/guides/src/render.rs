//! Renders a guide's Markdown.

use std::iter::Peekable;

use pulldown_cmark::html::push_html;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use crate::Guide;

/// The languages in which one example stands side by side, and the names of their tabs.
const TABS: [(&str, &str); 3] = [
    ("sh", "curl"),
    ("python", "Python"),
    ("typescript", "TypeScript"),
];

/// A fenced block of code.
struct Code<'a> {
    language: CowStr<'a>,
    text: String,
}

pub(crate) fn html(markdown: &str) -> String {
    let mut events = Parser::new_ext(markdown, Options::ENABLE_TABLES).peekable();
    let mut rendered = Vec::new();
    let mut groups = 0;
    while let Some(event) = events.next() {
        if let Event::Start(Tag::CodeBlock(kind)) = event {
            let codes = codes(kind, &mut events);
            rendered.push(Event::Html(blocks(&codes, groups).into()));
            groups += 1;
        } else if let Event::Start(Tag::Heading { level, .. }) = event {
            let inner = until(&mut events, TagEnd::Heading(level));
            let id = Some(heading_id(&inner).into());
            let (classes, attrs) = (Vec::new(), Vec::new());
            rendered.push(Event::Start(Tag::Heading {
                level,
                id,
                classes,
                attrs,
            }));
            rendered.extend(inner);
            rendered.push(Event::End(TagEnd::Heading(level)));
        } else if let Event::Start(Tag::Link { dest_url, .. }) = event {
            let inner = until(&mut events, TagEnd::Link);
            rendered.extend(link(&dest_url, inner));
        } else {
            rendered.push(as_text(event));
        }
    }
    let mut html = String::new();
    push_html(&mut html, rendered.into_iter());
    html
}

/// Markup as text, because no guide needs markup of its own.
fn as_text(event: Event<'_>) -> Event<'_> {
    if let Event::Html(text) | Event::InlineHtml(text) = event {
        return Event::Text(text);
    }
    event
}

/// The events before `end`, which is consumed.
fn until<'a>(events: &mut impl Iterator<Item = Event<'a>>, end: TagEnd) -> Vec<Event<'a>> {
    events
        .take_while(|event| *event != Event::End(end))
        .collect()
}

/// The block of code that begins, and those that follow it at once as further tabs.
fn codes<'a>(first: CodeBlockKind<'a>, events: &mut Peekable<Parser<'a>>) -> Vec<Code<'a>> {
    let mut codes = vec![code(first, events)];
    while is_tab(&codes[codes.len() - 1].language)
        && let Some(Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language)))) = events.peek()
        && is_tab(language)
        && codes.iter().all(|code| code.language != *language)
        && let Some(Event::Start(Tag::CodeBlock(kind))) = events.next()
    {
        codes.push(code(kind, events));
    }
    codes
}

fn code<'a>(kind: CodeBlockKind<'a>, events: &mut Peekable<Parser<'a>>) -> Code<'a> {
    let language = match kind {
        CodeBlockKind::Fenced(language) => language,
        CodeBlockKind::Indented => CowStr::Borrowed(""),
    };
    let inner = until(events, TagEnd::CodeBlock);
    Code {
        language,
        text: plain(&inner),
    }
}

fn is_tab(language: &str) -> bool {
    TABS.iter().any(|(known, _)| *known == language)
}

/// One block of code, or a group of tabs. The style sheet switches tabs without a script.
fn blocks(codes: &[Code<'_>], group: usize) -> String {
    if let [only] = codes {
        return block(only);
    }
    let mut html = String::from("<div class=\"tabs\">");
    for (index, code) in codes.iter().enumerate() {
        let id = format!("tab-{group}-{index}");
        let checked = if index == 0 { " checked" } else { "" };
        let name = TABS.iter().find(|(known, _)| **known == *code.language);
        let name = name.map_or("", |(_, name)| *name);
        html.extend([
            format!("<input type=\"radio\" name=\"tabs-{group}\" id=\"{id}\"{checked}>"),
            format!("<label for=\"{id}\">{name}</label>"),
        ]);
    }
    html.extend(codes.iter().map(block));
    html + "</div>"
}

fn block(code: &Code<'_>) -> String {
    // The script of the page adds a button that copies such a block.
    let class = if is_tab(&code.language) {
        " class=\"shell\""
    } else {
        ""
    };
    let mut text = String::new();
    push_html(
        &mut text,
        std::iter::once(Event::Text(code.text.as_str().into())),
    );
    format!("<pre{class}>{text}</pre>")
}

/// A link that a reader of the served guide can follow, or its text.
fn link<'a>(target: &str, inner: Vec<Event<'a>>) -> Vec<Event<'a>> {
    let Some(target) = served(target) else {
        return inner;
    };
    let mut link = vec![Event::Start(Tag::Link {
        link_type: pulldown_cmark::LinkType::Inline,
        dest_url: target.into(),
        title: CowStr::Borrowed(""),
        id: CowStr::Borrowed(""),
    })];
    link.extend(inner);
    link.push(Event::End(TagEnd::Link));
    link
}

/// The address of a link's target, if it is served: a place on the same page, another guide, or
/// another site.
fn served(target: &str) -> Option<String> {
    if target.starts_with('#') || target.starts_with("https://") {
        return Some(target.to_owned());
    }
    let (file, place) = target.split_once('#').unwrap_or((target, ""));
    let guide = Guide::find(file.strip_suffix(".md")?)?;
    let hash = if place.is_empty() { "" } else { "#" };
    Some(format!("{}{hash}{place}", guide.name))
}

/// The id that GitHub gives a heading, so that links in the files hold on the pages too.
fn heading_id(inner: &[Event<'_>]) -> String {
    let text = plain(inner).to_lowercase();
    let kept = text.chars().filter_map(|character| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        other => other.is_alphanumeric().then_some(other),
    });
    kept.collect()
}

/// The text of events without their markup.
fn plain(events: &[Event<'_>]) -> String {
    let mut plain = String::new();
    for event in events {
        if let Event::Text(text) | Event::Code(text) = event {
            plain.push_str(text);
        }
    }
    plain
}

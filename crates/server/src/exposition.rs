//! The two text formats of metrics, chosen by the field `Accept`.

use std::fmt::Write as _;

use http::HeaderMap;
use http::header::ACCEPT;

/// A text format of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exposition {
    /// `OpenMetrics` 1.0.
    OpenMetrics,
    /// Version 0.0.4 of Prometheus' own format, which every reader understands.
    Prometheus,
}

impl Exposition {
    /// The format for a reader with these header fields.
    pub(crate) fn wanted(headers: &HeaderMap) -> Self {
        let accepts = |value: &http::HeaderValue| {
            value
                .to_str()
                .is_ok_and(|text| text.contains("application/openmetrics-text"))
        };
        if headers.get_all(ACCEPT).iter().any(accepts) {
            Self::OpenMetrics
        } else {
            Self::Prometheus
        }
    }

    /// The value of `Content-Type`.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// Writes a text in `OpenMetrics` in this format. In the older one, the name of a counter ends in
    /// `_total` and the type `info` is missing.
    pub(crate) fn convert(self, text: String) -> String {
        if self == Self::OpenMetrics {
            return text;
        }
        let mut converted = String::with_capacity(text.len());
        let mut help = None;
        for line in text.lines() {
            let parts: Vec<&str> = line.splitn(4, ' ').collect();
            match parts[..] {
                ["#", "EOF"] | ["#", "UNIT", ..] => {}
                ["#", "HELP", _name, text] => help = Some(text),
                ["#", "TYPE", name, kind] => {
                    let (suffix, kind) = older_type(kind);
                    // Writing into a string cannot fail.
                    if let Some(text) = help.take() {
                        let _written = writeln!(converted, "# HELP {name}{suffix} {text}");
                    }
                    let _written = writeln!(converted, "# TYPE {name}{suffix} {kind}");
                }
                _ => {
                    converted.push_str(line);
                    converted.push('\n');
                }
            }
        }
        converted
    }
}

/// The suffix of the names and the type that the older format has for a type.
fn older_type(kind: &str) -> (&'static str, &str) {
    match kind {
        "counter" => ("_total", "counter"),
        "info" => ("_info", "gauge"),
        other => ("", other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_infos_have_other_names_in_the_older_format() {
        let text = "# HELP a_requests Requests.\n# TYPE a_requests counter\na_requests_total{x=\"1\"} 2\n\
                    # HELP a_build Build.\n# TYPE a_build info\na_build_info{version=\"1\"} 1\n\
                    # HELP a_up Up.\n# TYPE a_up gauge\n# UNIT a_up seconds\na_up 1\n# EOF\n";
        let converted = Exposition::Prometheus.convert(text.to_owned());
        assert_eq!(
            converted,
            "# HELP a_requests_total Requests.\n# TYPE a_requests_total counter\n\
             a_requests_total{x=\"1\"} 2\n# HELP a_build_info Build.\n# TYPE a_build_info gauge\n\
             a_build_info{version=\"1\"} 1\n# HELP a_up Up.\n# TYPE a_up gauge\na_up 1\n"
        );
        assert_eq!(Exposition::OpenMetrics.convert(text.to_owned()), text);
    }
}

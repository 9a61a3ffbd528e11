//! A browser of a test: it keeps cookies, and names itself as the sender of forms.

use chain::ids::BranchId;
use reqwest::header::{COOKIE, HOST, HeaderMap, LOCATION, ORIGIN, SET_COOKIE};
use storage::people::{self, NewPerson};
use storage::{branch, participants};

use super::{At, BEGINNING, CONSOLE_URL, ENTRY, TestServer};

/// One person's browser.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    http: reqwest::Client,
    url: String,
    cookie: Option<String>,
}

/// A page that the console answered with.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) location: String,
    pub(crate) headers: HeaderMap,
    pub(crate) html: String,
}

impl TestServer {
    /// A browser in which nobody is signed in.
    pub(crate) fn browser(&self) -> Browser {
        Browser {
            http: super::http_client(self, None),
            url: self.url(At::Console, ""),
            cookie: None,
        }
    }

    /// The same at another node.
    pub(crate) fn browser_of_node(&self, node: usize) -> Browser {
        Browser {
            url: self.url_of_node(node, At::Console, ""),
            ..self.browser()
        }
    }

    /// Adds a person and signs the person in. A progressor works for these branches, by reference.
    pub(crate) async fn sign_in_as(&self, role: &'static str, branches: &[&str]) -> Browser {
        let person = self.add_person(role, branches).await;
        let mut browser = self.browser();
        browser.enter(person).await;
        browser
    }

    /// Adds a person. Returns the person's id.
    pub(crate) async fn add_person(&self, role: &'static str, branches: &[&str]) -> i64 {
        let branches: Vec<String> = branches.iter().map(ToString::to_string).collect();
        let adding = self.storage.write(move |write| {
            let mut ids: Vec<BranchId> = Vec::new();
            for reference in &branches {
                let found = branch::find_branch_by_reference(write, reference)?;
                ids.push(found.unwrap().id);
            }
            let id = uuid::Uuid::new_v4().to_string();
            let name = format!("{role} Ltd");
            let participant_id = participants::ensure_participant(write, &name, &id, BEGINNING)?;
            let person = NewPerson {
                participant_id,
                name: role,
                role,
                branches: &ids,
            };
            people::insert_person(write, &person, BEGINNING)
        });
        adding.await.unwrap()
    }
}

impl Browser {
    /// Becomes one of the people.
    pub(crate) async fn enter(&mut self, person: i64) {
        let path = format!("/enter/{ENTRY}");
        let entered = self.post(&path, &[("person", &person.to_string())]).await;
        assert_eq!((entered.status, entered.location.as_str()), (303, "/"));
    }

    /// Follows a link of the console's own page.
    pub(crate) async fn get(&mut self, path: &str) -> Page {
        self.get_led_by("same-origin", path).await
    }

    /// Opens a page to which another one led, or the person.
    pub(crate) async fn get_led_by(&mut self, site: &str, path: &str) -> Page {
        let request = self.http.get(format!("{}{path}", self.url));
        self.send(request.header("sec-fetch-site", site)).await
    }

    /// Opens a stream, and returns once its head is here.
    pub(crate) async fn open(&self, path: &str) -> reqwest::Response {
        self.open_led_by("same-origin", path).await
    }

    /// Opens a stream to which another page led.
    pub(crate) async fn open_led_by(&self, site: &str, path: &str) -> reqwest::Response {
        let host = CONSOLE_URL.trim_start_matches("http://");
        let request = self
            .http
            .get(format!("{}{path}", self.url))
            .header(HOST, host)
            .header("sec-fetch-site", site);
        let cookie = self.cookie.as_deref().unwrap_or_default();
        request.header(COOKIE, cookie).send().await.unwrap()
    }

    /// Sends a form of the console's own page.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let key = uuid::Uuid::new_v4().to_string();
        let mut form = vec![("idempotency_key", key.as_str())];
        form.extend(fields);
        self.post_as_it_is(path, &form).await
    }

    /// Sends a form of the page of a sale as it is now.
    pub(crate) async fn post_seen(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let page = path.split('/').take(3).collect::<Vec<_>>().join("/");
        let seen = self.get(&page).await.seen(path);
        self.post(path, &[fields, &[("seen", &seen)]].concat())
            .await
    }

    /// Sends a form with these fields and no other.
    pub(crate) async fn post_as_it_is(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let request = self.http.post(format!("{}{path}", self.url));
        self.send(request.header(ORIGIN, CONSOLE_URL).form(fields))
            .await
    }

    /// Sends a request as it is, with the cookie.
    pub(crate) async fn send(&mut self, mut request: reqwest::RequestBuilder) -> Page {
        let host = CONSOLE_URL.trim_start_matches("http://");
        request = request.header(HOST, host);
        if let Some(cookie) = &self.cookie {
            request = request.header(COOKIE, cookie);
        }
        let answer = request.send().await.unwrap();
        for set in answer.headers().get_all(SET_COOKIE) {
            let set = set.to_str().unwrap();
            let pair = set.split(';').next().unwrap();
            if pair.starts_with("onward=") {
                self.cookie = Some(pair.to_owned()).filter(|pair| pair != "onward=");
            }
        }
        let location = answer.headers().get(LOCATION);
        let location = location.map_or("", |location| location.to_str().unwrap());
        Page {
            status: answer.status().as_u16(),
            location: location.to_owned(),
            headers: answer.headers().clone(),
            html: answer.text().await.unwrap(),
        }
    }

    /// The session's cookie.
    pub(crate) fn cookie(&self) -> Option<&str> {
        self.cookie.as_deref()
    }

    /// A browser with the same session.
    pub(crate) fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }
}

impl Page {
    /// The text of the page without tags, on one line.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let mut is_tag = false;
        for letter in self.html.chars() {
            match letter {
                '<' => is_tag = true,
                '>' => {
                    is_tag = false;
                    text.push(' ');
                }
                _ if !is_tag => text.push(letter),
                _ => {}
            }
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The field `seen` of the form that is sent to this path.
    pub(crate) fn seen(&self, path: &str) -> String {
        let form = self.html.split(&format!("action=\"{path}\"")).nth(1);
        let field = form.and_then(|form| form.split("name=\"seen\" value=\"").nth(1));
        let value = field.and_then(|field| field.split('"').next());
        value.unwrap().replace("&#38;", "&")
    }

    /// The field `seen` of the form that confirms this end, or takes it back.
    pub(crate) fn end_seen(&self, end: &str) -> String {
        let form = self
            .html
            .split(&format!("name=\"end\" value=\"{end}\""))
            .nth(1);
        let field = form.and_then(|form| form.split("name=\"seen\" value=\"").nth(1));
        field
            .and_then(|field| field.split('"').next())
            .unwrap()
            .to_owned()
    }

    pub(crate) fn assert_shows(&self, wanted: &str) {
        let text = self.text();
        assert!(
            text.contains(wanted),
            "{} lacks {wanted:?}: {text}",
            self.status
        );
    }

    pub(crate) fn assert_hides(&self, unwanted: &str) {
        let text = self.text();
        assert!(!text.contains(unwanted), "shows {unwanted:?}: {text}");
    }
}

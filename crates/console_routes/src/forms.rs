//! Forms that people send, and the changes that they stand for.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use listing_management::author::Author;
use listing_management::request_key::RequestKey;
use listing_management::writing;
use storage::Write;
use web::form::Form;
use web::problem::Problem;

use super::Console;
use super::frames::Destination;
use super::session::SignedIn;

/// A form of the console, read within bounds.
#[derive(Debug)]
pub(crate) struct PostedForm {
    path: String,
    form: Form,
}

impl<S: Send + Sync> FromRequest<S> for PostedForm {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let path = request.uri().path().to_owned();
        let (parts, body): (_, Body) = request.into_parts();
        let form = Form::read(&parts.headers, body).await?;
        Ok(Self { path, form })
    }
}

impl PostedForm {
    /// The value of a field without white space around it; empty if the form lacks it.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.form.find(name).unwrap_or_default().trim()
    }

    /// All values of a repeated field.
    pub(crate) fn texts(&self, name: &str) -> Vec<&str> {
        self.form.all(name)
    }

    /// The whole number in a field; `None` if the field has another text.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        read_number(self.text(name))
    }

    /// The key of the form, so that a form sent twice changes once.
    pub(crate) fn key(&self) -> Result<RequestKey, Problem> {
        Ok(RequestKey::of_form(&self.path, &self.form)?)
    }
}

/// A change in its transaction, and the page that follows it.
pub(crate) trait Work:
    Fn(&mut Write<'_>, &Author<'_>) -> Result<Destination, Problem> + Send + Sync + 'static
{
}

impl<W> Work for W where
    W: Fn(&mut Write<'_>, &Author<'_>) -> Result<Destination, Problem> + Send + Sync + 'static
{
}

impl Console {
    /// Makes a change as the API does. The key of the form keeps where it leads.
    pub(crate) async fn write(
        &self,
        signed_in: &SignedIn,
        key: Option<RequestKey>,
        work: impl Work,
    ) -> Result<Destination, Problem> {
        let caller = signed_in.branch_caller()?;
        let signed_in = signed_in.clone();
        let work = move |write: &mut Write<'_>, author: &Author<'_>| {
            signed_in.prove_again(write, author.now)?;
            work(write, author)
        };
        let written = writing::write(&self.management, caller, key, work).await?;
        written.outcome
    }

    /// Changes what belongs to the console alone.
    pub(crate) async fn write_own<T: Send + 'static>(
        &self,
        signed_in: &SignedIn,
        mut work: impl FnMut(&mut Write<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (signed_in, clock) = (signed_in.clone(), self.clock.clone());
        let writing = self.storage.write(move |write| {
            signed_in.prove_again(write, clock.now_seconds())?;
            work(write)
        });
        writing.await
    }
}

/// Reads a whole number as people type it: `350000`, `£350,000`, `350 000`.
fn read_number(text: &str) -> Option<i64> {
    let text = text.trim_start_matches('£').trim_start();
    let mut groups = text.split([',', ' ']);
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    if !rest.iter().all(|group| group.len() == 3) {
        return None;
    }
    format!("{first}{}", rest.concat()).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::read_number;

    #[test]
    fn numbers_are_read_as_people_type_them() {
        for text in ["350000", "£350,000", "350 000", "£ 350,000", "350,000"] {
            assert_eq!(read_number(text), Some(350_000), "{text}");
        }
        for text in ["350000,00", "350.000", "350,00", "", "£", "3,5,0", "350k"] {
            assert_eq!(read_number(text), None, "{text}");
        }
    }
}

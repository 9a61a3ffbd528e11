//! The member `callbackUrl` of a body: its rule and its schema.

use outbound::callback::CallbackUrl;
use utoipa::openapi::schema::ObjectBuilder;
use web::fields::Fields;

use crate::WebhookManagement;
use crate::holder::Holder;

/// Reads `callbackUrl` and looks its host up. Adds a wrong value to the errors of `fields` (S-31).
pub(crate) async fn read_callback(
    webhooks: &WebhookManagement,
    holder: &Holder,
    fields: &mut Fields,
) -> Option<CallbackUrl> {
    let text = fields.exact_text("callbackUrl")?;
    let account = holder.account();
    match webhooks.outbound.accept_callback(account, &text).await {
        Ok(callback) => Some(callback),
        Err(refusal) => {
            fields.refuse("callbackUrl", refusal.to_string());
            None
        }
    }
}

/// The schema of `callbackUrl`.
pub(crate) fn callback_member() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(utoipa::openapi::schema::Type::String)
        .pattern(Some("^[Hh][Tt][Tt][Pp][Ss]://"))
        .max_length(Some(outbound::limits::CALLBACK_URL_CHARACTERS_MAX))
        .examples(["https://hooks.example/onward"])
        .description(Some(
            "The URL that receives the events. Its host must have public addresses. It must have \
             no user name, password or fragment.",
        ))
}

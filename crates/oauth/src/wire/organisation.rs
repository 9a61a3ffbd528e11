//! The participant directory (S-27), in the format of the open finance directories.

use observe::clock;
use serde::Serialize;
use storage::participants::Participant;
use utoipa::ToSchema;
use uuid::Builder;
use web::urls::ServiceUrls;

/// An organisation. Unknown members are null.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
#[expect(
    clippy::struct_field_names,
    reason = "the members have these names wherever such a directory is published"
)]
pub struct Organisation {
    #[schema(format = "uuid")]
    organisation_id: String,
    /// `Active` or `Withdrawn`. The service refuses clients of a withdrawn organisation.
    status: String,
    organisation_name: String,
    #[schema(format = "date-time")]
    created_on: String,
    legal_entity_name: Option<String>,
    /// Country code of two letters.
    country_of_registration: Option<String>,
    company_register: Option<String>,
    tag: Option<String>,
    size: Option<String>,
    registration_number: Option<String>,
    registration_id: Option<String>,
    registered_name: Option<String>,
    address_line1: Option<String>,
    address_line2: Option<String>,
    city: Option<String>,
    postcode: Option<String>,
    country: Option<String>,
    parent_organisation_reference: Option<String>,
    /// This service, for the organisation that operates it. Empty for all others.
    authorisation_servers: Vec<AuthorisationServer>,
    org_domain_claims: Vec<OrgDomainClaim>,
    /// The roles in which the organisation participates.
    org_domain_role_claims: Vec<OrgDomainRoleClaim>,
}

/// A service that issues tokens, with the operations that accept them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
#[expect(
    clippy::struct_field_names,
    reason = "the members have these names wherever such a directory is published"
)]
struct AuthorisationServer {
    #[schema(format = "uuid")]
    authorisation_server_id: String,
    #[schema(format = "uuid")]
    organisation_id: String,
    status: String,
    auto_registration_supported: bool,
    supports_ciba: bool,
    #[serde(rename = "SupportsDCR")]
    supports_dcr: bool,
    customer_friendly_name: String,
    customer_friendly_description: Option<String>,
    customer_friendly_logo_uri: Option<String>,
    developer_portal_uri: String,
    terms_of_service_uri: Option<String>,
    #[serde(rename = "OpenIDDiscoveryDocument")]
    openid_discovery_document: String,
    issuer: String,
    /// URL of the public keys that verify answers and events.
    payload_signing_cert_location_uri: String,
    parent_authorisation_server_id: Option<String>,
    authorisation_server_certifications: Vec<Certification>,
    api_resources: Vec<ApiResource>,
}

/// A group of operations.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
#[expect(
    clippy::struct_field_names,
    reason = "the members have these names wherever such a directory is published"
)]
struct ApiResource {
    #[schema(format = "uuid")]
    api_resource_id: String,
    api_version: &'static str,
    api_family_type: &'static str,
    status: String,
    family_complete: bool,
    api_certification_uri: Option<String>,
    certification_status: Option<String>,
    certification_start_date: Option<String>,
    certification_expiration_date: Option<String>,
    api_discovery_endpoints: Vec<ApiDiscoveryEndpoint>,
}

/// An operation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
struct ApiDiscoveryEndpoint {
    #[schema(format = "uuid")]
    api_discovery_id: String,
    api_endpoint: String,
}

/// A role of an organisation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
struct OrgDomainRoleClaim {
    #[schema(format = "uuid")]
    organisation_id: String,
    status: String,
    role: String,
}

/// The directory publishes no domain claims.
#[derive(Debug, Serialize, ToSchema)]
struct OrgDomainClaim {}

/// The directory publishes no certifications.
#[derive(Debug, Serialize, ToSchema)]
struct Certification {}

/// The operation groups: family name, base URL and paths.
fn families(urls: &ServiceUrls) -> [(&'static str, &str, &'static [&'static str]); 3] {
    [
        ("chain-status", &urls.base_url, &["/api/v1/standard/chains"]),
        (
            "chain-events",
            &urls.base_url,
            &[
                "/api/v1/webhook/subscribe",
                "/api/v1/webhook/subscriptions",
                "/api/v1/webhook/simulate",
            ],
        ),
        (
            "listing-and-chain-management",
            &urls.listing_base_url,
            &[
                "/api/v1/listing",
                "/api/v1/chain/add/link",
                "/api/v1/chain/remove/link",
                "/api/v1/milestone_type",
                "/api/v1/milestone_group",
                "/api/v1/address/filter",
                "/api/v1/branch/filter",
            ],
        ),
    ]
}

impl Organisation {
    /// Describes a participant of the service that runs with `config`.
    pub fn of(participant: Participant, urls: &ServiceUrls) -> Self {
        let servers = participant
            .is_operator
            .then(|| AuthorisationServer::of(&participant, urls));
        let role = |role: &String| OrgDomainRoleClaim {
            organisation_id: participant.organisation_id.clone(),
            status: participant.status.clone(),
            role: role.clone(),
        };
        let known = |text: &String| (!text.is_empty()).then(|| text.clone());
        let registered = &participant.registration;
        Self {
            authorisation_servers: servers.into_iter().collect(),
            org_domain_claims: Vec::new(),
            org_domain_role_claims: registered.roles.iter().map(role).collect(),
            created_on: clock::to_rfc3339(participant.created_at).replace('Z', ".000Z"),
            legal_entity_name: known(&registered.legal_name),
            country_of_registration: known(&registered.country),
            company_register: known(&registered.company_register),
            tag: None,
            size: None,
            registration_number: known(&registered.registration_number),
            registration_id: None,
            registered_name: known(&registered.legal_name),
            address_line1: known(&registered.address_line1),
            address_line2: known(&registered.address_line2),
            city: known(&registered.city),
            postcode: known(&registered.postcode),
            country: known(&registered.country),
            parent_organisation_reference: None,
            organisation_id: participant.organisation_id,
            status: participant.status,
            organisation_name: participant.name,
        }
    }
}

impl AuthorisationServer {
    fn of(operator: &Participant, urls: &ServiceUrls) -> Self {
        let resources = families(urls)
            .map(|(family, address, paths)| ApiResource::of(operator, family, address, paths));
        Self {
            authorisation_server_id: stable_id(operator, &urls.auth_url),
            organisation_id: operator.organisation_id.clone(),
            status: operator.status.clone(),
            auto_registration_supported: false,
            supports_ciba: false,
            supports_dcr: false,
            customer_friendly_name: operator.name.clone(),
            customer_friendly_description: None,
            customer_friendly_logo_uri: None,
            developer_portal_uri: format!("{}/docs", urls.base_url),
            terms_of_service_uri: None,
            openid_discovery_document: format!(
                "{}/.well-known/openid-configuration",
                urls.auth_url
            ),
            issuer: urls.auth_url.clone(),
            payload_signing_cert_location_uri: urls.jwks_url(),
            parent_authorisation_server_id: None,
            authorisation_server_certifications: Vec::new(),
            api_resources: resources.into_iter().collect(),
        }
    }
}

impl ApiResource {
    fn of(
        operator: &Participant,
        family: &'static str,
        address: &str,
        paths: &'static [&'static str],
    ) -> Self {
        let endpoint = |path: &&str| {
            let api_endpoint = format!("{address}{path}");
            ApiDiscoveryEndpoint {
                api_discovery_id: stable_id(operator, &api_endpoint),
                api_endpoint,
            }
        };
        Self {
            api_resource_id: stable_id(operator, family),
            api_version: "1.0.0",
            api_family_type: family,
            status: operator.status.clone(),
            family_complete: true,
            api_certification_uri: None,
            certification_status: None,
            certification_start_date: None,
            certification_expiration_date: None,
            api_discovery_endpoints: paths.iter().map(endpoint).collect(),
        }
    }
}

/// Derives an id from the operator and `name`, so that all nodes publish the same id after every
/// start (RFC 9562 section 5.8).
fn stable_id(operator: &Participant, name: &str) -> String {
    let text = format!("{} {name}", operator.organisation_id);
    let mut bytes = [0; 16];
    let digest = signing::canonical::digest(text.as_bytes());
    for (byte, digested) in bytes.iter_mut().zip(digest) {
        *byte = digested;
    }
    Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

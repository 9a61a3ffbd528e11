//! PostgreSQL databases of the tests' own, copied from a template.

use std::sync::Mutex;

use postgres::{Client, NoTls};
use tokio::sync::OnceCell;

use super::template::Template;

/// A fresh database; [`Database::remove`] removes it.
pub(crate) struct Database {
    pub(crate) url: String,
    admin: String,
    name: String,
}

impl Database {
    /// An empty database. None where `scripts/test` did not start a server.
    pub(crate) async fn create() -> Option<Self> {
        Some(Self::copy(admin()?, "template1").await)
    }

    /// A database with the schema and the signing keys.
    pub(super) async fn create_store() -> Option<Self> {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        let admin = admin()?;
        let making =
            TEMPLATE.get_or_init(|| blocking(|admin| make_template(&admin), admin.clone()));
        let template = making.await;
        Some(Self::copy(admin, template).await)
    }

    /// The same on the server at this address.
    pub(crate) async fn create_at(admin: String) -> Self {
        let database = Self::copy(admin, "template1").await;
        blocking(
            |url| Template::get().fill_database(&url),
            database.url.clone(),
        )
        .await;
        database
    }

    async fn copy(admin: String, template: &str) -> Self {
        let name = format!("onward_{}", uuid::Uuid::new_v4().simple());
        let url = url_of(&admin, &name);
        run(
            &admin,
            format!("create database {name} template {template}"),
        )
        .await;
        Self { url, admin, name }
    }

    /// Ends all connections and refuses new ones, or allows them again.
    pub(crate) async fn allow_connections(&self, are_allowed: bool) {
        let name = &self.name;
        let allow = format!("alter database {name} allow_connections {are_allowed}");
        run(&self.admin, allow).await;
        if !are_allowed {
            let end = "select pg_terminate_backend(pid) from pg_stat_activity where datname =";
            run(&self.admin, format!("{end} '{name}'")).await;
        }
    }

    pub(crate) async fn remove(self) {
        let sql = format!("drop database {} with (force)", self.name);
        run(&self.admin, sql).await;
    }
}

/// The address of the server that `scripts/test` started.
fn admin() -> Option<String> {
    let admin = std::env::var("ONWARD_TEST_POSTGRES").ok();
    if admin.is_none() {
        assert!(
            std::env::var("CI").is_err(),
            "ONWARD_TEST_POSTGRES is not set: run the tests with scripts/test"
        );
        eprintln!("skipped on PostgreSQL: run scripts/test, which starts one");
    }
    admin
}

/// Makes the database that this process copies; its name, and how to copy it. The connection that stays
/// open until the process ends bears the same name: a template whose connection is gone is removed by the
/// next process.
fn make_template(admin: &str) -> String {
    static KEEPER: Mutex<Option<Client>> = Mutex::new(None);
    let name = format!("onward_template_{}", uuid::Uuid::new_v4().simple());
    let mut config: postgres::Config = admin.parse().unwrap();
    let mut keeper = config.application_name(&name).connect(NoTls).unwrap();
    let left = "select datname from pg_database where datname like 'onward\\_template\\_%' \
        and datname not in (select application_name from pg_stat_activity)";
    for row in keeper.query(left, &[]).unwrap() {
        let left: &str = row.get(0);
        // Another process may be quicker.
        drop(keeper.batch_execute(&format!("drop database if exists {left}")));
    }
    keeper
        .batch_execute(&format!("create database {name}"))
        .unwrap();
    Template::get().fill_database(&url_of(admin, &name));
    let version = keeper.query_one("select current_setting('server_version_num')::int", &[]);
    let copies_files = version.unwrap().get::<_, i32>(0) >= 150_000;
    *KEEPER.lock().unwrap() = Some(keeper);
    // Older versions have no other strategy. Copied through the log, a database costs half as much again.
    let strategy = if copies_files {
        " strategy file_copy"
    } else {
        ""
    };
    format!("{name}{strategy}")
}

fn url_of(admin: &str, name: &str) -> String {
    let (base, _database) = admin.rsplit_once('/').unwrap();
    format!("{base}/{name}")
}

async fn run(admin: &str, sql: String) {
    let execute = move |admin: String| {
        let mut client = Client::connect(&admin, NoTls).unwrap();
        client.batch_execute(&sql).unwrap();
    };
    blocking(execute, admin.to_owned()).await;
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce(String) -> T + Send + 'static,
    argument: String,
) -> T {
    let working = tokio::task::spawn_blocking(move || work(argument));
    working.await.unwrap()
}

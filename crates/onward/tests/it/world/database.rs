//! A PostgreSQL database of a test's own.

/// A fresh database; removed by [`Database::remove`].
pub(crate) struct Database {
    pub(crate) url: String,
    admin: String,
    name: String,
}

impl Database {
    /// None where `scripts/test` did not start a server.
    pub(crate) async fn create() -> Option<Self> {
        let Ok(admin) = std::env::var("ONWARD_TEST_POSTGRES") else {
            assert!(
                std::env::var("CI").is_err(),
                "ONWARD_TEST_POSTGRES is not set: run the tests with scripts/test"
            );
            eprintln!("skipped on PostgreSQL: run scripts/test, which starts one");
            return None;
        };
        Some(Self::create_at(admin).await)
    }

    /// A fresh database of the server at this address.
    pub(crate) async fn create_at(admin: String) -> Self {
        let name = format!("onward_{}", uuid::Uuid::new_v4().simple());
        let (base, _database) = admin.rsplit_once('/').unwrap();
        let url = format!("{base}/{name}");
        run(admin.clone(), format!("create database {name}")).await;
        Self { url, admin, name }
    }

    pub(crate) async fn remove(self) {
        run(
            self.admin,
            format!("drop database {} with (force)", self.name),
        )
        .await;
    }
}

async fn run(admin: String, sql: String) {
    tokio::task::spawn_blocking(move || {
        let mut client = postgres::Client::connect(&admin, postgres::NoTls).unwrap();
        client.batch_execute(&sql).unwrap();
    })
    .await
    .unwrap();
}

//! The main comparison service of the benchmark: the pet store on axum and sqlx, on SQLite.

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    petstore_bench_axum::run::<petstore_bench_axum_sqlx::Store<sqlx::Sqlite>>().await
}

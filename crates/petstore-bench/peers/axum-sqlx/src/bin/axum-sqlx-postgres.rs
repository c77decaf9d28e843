//! A comparison service of the benchmark: the pet store on axum and sqlx, on PostgreSQL.

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    petstore_bench_axum::run::<petstore_bench_axum_sqlx::Store<sqlx::Postgres>>().await
}

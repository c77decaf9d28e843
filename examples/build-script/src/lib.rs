//! Models and API that the build script generates from `openapi.yaml`.

include!(concat!(env!("OUT_DIR"), "/service.rs"));

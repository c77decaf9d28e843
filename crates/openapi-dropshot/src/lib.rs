//! Generates models, a dropshot API trait and a progenitor client from an OpenAPI 3.0 document

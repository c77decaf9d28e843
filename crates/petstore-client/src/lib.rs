//! Client of the pet store service

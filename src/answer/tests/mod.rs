//! Tests of answering as a whole: what is chosen, what is printed, what is accepted, what is listed.

mod accepting;
mod applications;
mod fixture;
mod listing;
mod loading;
mod printing;
mod selecting;
mod served;

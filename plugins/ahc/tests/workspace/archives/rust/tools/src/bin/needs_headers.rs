fn main() { there_is_none() }

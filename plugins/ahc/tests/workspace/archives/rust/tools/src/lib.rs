pub fn limit(seed: &str) -> u64 { seed.trim().parse::<u64>().unwrap() + 100 }

use std::io::Write;
fn main() {
    let seeds = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    std::fs::create_dir_all("in").unwrap();
    for (n, seed) in seeds.lines().enumerate() {
        let mut file = std::fs::File::create(format!("in/{:04}.txt", n)).unwrap();
        writeln!(file, "{}", tools::limit(seed)).unwrap();
    }
}

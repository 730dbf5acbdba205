fn main() {
    let read = |n| std::fs::read_to_string(std::env::args().nth(n).unwrap()).unwrap().trim().parse::<u64>().unwrap();
    let score = if read(2) <= read(1) { read(2) } else { println!("Illegal answer"); 0 };
    println!("Score = {}", score);
    std::fs::write("vis.html", "<p></p>").unwrap();
}

//! Makes the recordings of `samples/audio`: `cargo run --example recordings` from the top of the repository.

mod voice;

fn main() -> std::io::Result<()> {
    for (name, file) in recordings() {
        std::fs::write(format!("samples/audio/{name}.wav"), file)?;
    }
    Ok(())
}

/// The recordings, by name.
pub fn recordings() -> [(&'static str, Vec<u8>); 2] {
    let anna = voice::Speaker { pitch: (235.0, 175.0), formant_scale: 1.12, seed: 1 };
    let ben = voice::Speaker { pitch: (128.0, 92.0), formant_scale: 1.0, seed: 2 };
    [
        ("anna", voice::wave_file(&voice::speak(&anna, &voice::sounds(" aisolena xuneli soazu ")))),
        ("ben", voice::wave_file(&voice::speak(&ben, &voice::sounds(" neosa lixuaz onisel ")))),
    ]
}

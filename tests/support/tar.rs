//! Tar files, built without the library.

/// A tar file of members with short names.
pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out: Vec<u8> = members.iter().flat_map(|(path, content)| member(path, b'0', content)).collect();
    out.resize((out.len() + 1024).next_multiple_of(10240), 0);
    out
}

/// A header and its content, with the zeros after it.
pub fn member(path: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![0; 512];
    let mut put = |at: usize, field: &str| out[at..at + field.len()].copy_from_slice(field.as_bytes());
    put(0, path);
    put(100, "0000644\x000000000\x000000000\0");
    put(124, &format!("{:011o}\x0000000000000\0        ", content.len()));
    put(257, "ustar\x0000");
    out[156] = kind;
    let sum: u32 = out.iter().map(|&byte| u32::from(byte)).sum();
    out[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

/// A shard of these samples: key, text, sound.
pub fn shard(samples: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let names: Vec<[String; 2]> =
        samples.iter().map(|(key, ..)| [format!("{key}.txt"), format!("{key}.wav")]).collect();
    let members = samples
        .iter()
        .zip(&names)
        .flat_map(|((_, text, sound), [txt, wav])| [(txt.as_str(), text.as_bytes()), (wav.as_str(), *sound)]);
    tar(&members.collect::<Vec<_>>())
}

//! Images of the development model: a gradient with discs. Colours and shapes depend only on the prompt, the size and the
//! number of the image.

use std::ops::Range;

use bytes::Bytes;
use png::{BitDepth, ColorType, Compression, Encoder};

use super::hash::hash;
use crate::failure::{FailureKind, ProviderFailure};
use crate::images::{EditSources, ImageAnswer, ImageRequest, Picture};
use domain::image::{ImageSize, PictureFormat};
use domain::usage::Tokens;

/// The longest side that is drawn, which bounds the work and the memory of a call.
const MAX_SIDE: u32 = 2_048;
const DISCS: u8 = 6;
/// The palette has the steps of the gradient, and then one colour for each disc.
const GRADIENT_STEPS: u8 = 250;

pub fn generate(request: &ImageRequest) -> Result<ImageAnswer, ProviderFailure> {
    draw_all(request, request.prompt())
}

/// An edit has other colours and shapes for other pictures.
pub fn edit(request: &ImageRequest, sources: &EditSources) -> Result<ImageAnswer, ProviderFailure> {
    let files = sources.pictures.iter().chain(&sources.mask);
    let seeds = files.map(|file| format!("/{:x}", hash(&file.content)));
    draw_all(request, &format!("{}{}", request.prompt(), seeds.collect::<String>()))
}

fn draw_all(request: &ImageRequest, seed: &str) -> Result<ImageAnswer, ProviderFailure> {
    let size = request.size().unwrap_or(ImageSize::DEFAULT);
    if size.width.max(size.height) > MAX_SIDE {
        let message = format!("size: this model draws images of up to {MAX_SIDE}x{MAX_SIDE} pixels");
        let param = Some("size".to_owned());
        return Err(ProviderFailure { param, ..ProviderFailure::new(FailureKind::Request, "invalid_value", message) });
    }
    let pictures = (0..request.n()).map(|number| {
        let content = draw(size, &format!("{seed}#{number}")).map_err(ProviderFailure::malformed_answer)?;
        Ok(Picture { content, format: PictureFormat::Png, revised_prompt: None })
    });
    let usage = Tokens { input: request.greatest_input(), ..Tokens::default() };
    Ok(ImageAnswer { pictures: pictures.collect::<Result<_, _>>()?, usage: Some(usage) })
}

struct Disc {
    x: i64,
    y: i64,
    radius: i64,
}

impl Disc {
    /// The pixels of a row that the disc covers.
    fn span(&self, y: i64, width: i64) -> Option<Range<usize>> {
        let beside = (self.radius * self.radius - (y - self.y).pow(2)).checked_isqrt()?;
        let (from, to) = ((self.x - beside).max(0), (self.x + beside + 1).min(width));
        Some(usize::try_from(from).ok()?..usize::try_from(to).ok()?)
    }
}

fn gradient_step(along: u32, length: u32) -> u8 {
    (u64::from(along) * u64::from(GRADIENT_STEPS - 1) / u64::from(length)) as u8
}

fn draw(ImageSize { width, height }: ImageSize, seed: &str) -> Result<Bytes, png::EncodingError> {
    let random = |what: &str, below: u64| hash(format!("{seed}/{what}").as_bytes()) % below;
    let disc = |i: u8| Disc {
        x: random(&format!("x{i}"), width.into()) as i64,
        y: random(&format!("y{i}"), height.into()) as i64,
        radius: (random(&format!("r{i}"), u64::from(width.min(height)) / 4) + 4) as i64,
    };
    let discs: Vec<Disc> = (0..DISCS).map(disc).collect();
    let falls = random("direction", 2) == 0;
    let steps: Vec<u8> = (0..width + height).map(|along| gradient_step(along, width + height)).collect();
    let mut pixels = Vec::with_capacity((width * height) as usize);
    for y in 0..height {
        let begin = pixels.len();
        let gradient = &steps[y as usize..(y + width) as usize];
        match falls {
            true => pixels.extend(gradient.iter().rev()),
            false => pixels.extend(gradient),
        }
        for (number, disc) in discs.iter().enumerate() {
            if let Some(span) = disc.span(y.into(), width.into()) {
                pixels[begin..][span].fill(GRADIENT_STEPS + number as u8);
            }
        }
    }

    let colour = |what: &str| [0, 1, 2].map(|channel| random(&format!("{what}{channel}"), 256) as u8);
    let (from, to) = (colour("from"), colour("to"));
    let blend = |step: u8| {
        let mix = |channel: usize| {
            let (a, b, step) = (u32::from(from[channel]), u32::from(to[channel]), u32::from(step));
            ((a * (u32::from(GRADIENT_STEPS) - step) + b * step) / u32::from(GRADIENT_STEPS)) as u8
        };
        [mix(0), mix(1), mix(2)]
    };
    let palette = (0..GRADIENT_STEPS).map(blend).chain((0..DISCS).map(|i| colour(&format!("disc{i}-"))));
    let palette: Vec<u8> = palette.flatten().collect();

    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::upload::UploadedFile;

    fn generate_json(size: &str, prompt: &str, n: u64) -> Vec<Bytes> {
        let request = ImageRequest::read(json!({"preset": "dev-image", "prompt": prompt, "size": size, "n": n}));
        generate(&request.unwrap()).unwrap().pictures.into_iter().map(|picture| picture.content).collect()
    }

    #[test]
    fn the_pictures_are_png_files_of_the_requested_size() {
        for (size, (width, height)) in [("64x32", (64, 32)), ("16x128", (16, 128)), ("512x512", (512, 512))] {
            let picture = &generate_json(size, "a red fox", 1)[0];
            assert_eq!(PictureFormat::of(picture), Some(PictureFormat::Png));
            let mut reader = png::Decoder::new(std::io::Cursor::new(&picture[..])).read_info().unwrap();
            assert_eq!((reader.info().width, reader.info().height), (width, height));
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            let colours: std::collections::BTreeSet<_> = pixels.chunks(3).collect();
            assert!(colours.len() > 4, "the picture has {} colours", colours.len());
        }
    }

    #[test]
    fn prompts_and_numbers_give_other_pictures_and_the_same_prompt_the_same() {
        let foxes = generate_json("64x64", "a red fox", 4);
        let distinct: std::collections::BTreeSet<_> =
            foxes.iter().chain(&generate_json("64x64", "a cat", 1)).cloned().collect();
        assert_eq!(distinct.len(), 5);
        assert_eq!(foxes, generate_json("64x64", "a red fox", 4));
    }

    #[test]
    fn an_edit_depends_on_its_pictures() {
        let request = ImageRequest::read(json!({"model": "m", "prompt": "a hat", "size": "64x64"})).unwrap();
        let edited = |contents: &[&'static [u8]]| {
            let file = |content: &&'static [u8]| UploadedFile {
                name: "a.png".to_owned(),
                content_type: None,
                content: Bytes::from_static(content),
            };
            let sources = EditSources { pictures: contents.iter().map(file).collect(), mask: None };
            edit(&request, &sources).unwrap().pictures.remove(0).content
        };
        assert_eq!(edited(&[b"fox"]), edited(&[b"fox"]));
        assert_ne!(edited(&[b"fox"]), edited(&[b"cat"]));
        assert_ne!(edited(&[b"fox"]), edited(&[b"fox", b"cat"]));
    }

    #[test]
    fn large_sizes_are_refused() {
        let request = ImageRequest::read(json!({"preset": "m", "prompt": "x", "size": "2049x64"})).unwrap();
        assert_eq!(generate(&request).unwrap_err().param.as_deref(), Some("size"));
    }
}

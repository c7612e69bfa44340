//! `OpenAI` and compatible providers: the forms of transcriptions and edits, and speech, on the wire.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use domain::provider::ProviderKind::{self, OpenAi};
use domain::usage::Tokens;
use futures::StreamExt;
use gateway::ProviderFailure;
use gateway::audio::speech::SpeechRequest;
use gateway::audio::transcription::{Transcript, TranscriptionRequest, TranscriptionTask};
use gateway::images::{EditSources, ImageRequest};
use gateway::upload::UploadedFile;
use serde_json::{Value, json};
use tests::provider::{Behaviour, RecordedRequest};

use crate::stage::{KEY, Stage, stage};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0";

fn file(name: &str, content: &'static [u8]) -> UploadedFile {
    UploadedFile { name: name.to_owned(), content_type: Some("audio/wav".to_owned()), content: content.into() }
}

fn transcription(more: Value, task: TranscriptionTask) -> TranscriptionRequest {
    let mut body = json!({"model": "public-name"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    TranscriptionRequest::read(body, file("a talk.wav", b"RIFF\r\n--form-\0"), task).unwrap()
}

async fn transcribe(
    stage: &Stage,
    behaviour: Behaviour,
    request: &TranscriptionRequest,
) -> Result<Transcript, ProviderFailure> {
    stage.fake.respond_with(behaviour);
    stage.provider.transcribe("upstream-model", request).await
}

/// The texts of a form, each with its name, and the files as their names.
fn shown(request: &RecordedRequest) -> Vec<(String, String)> {
    let text = |content: Vec<u8>| String::from_utf8(content).unwrap();
    let parts = request.parts().into_iter();
    parts.map(|part| (part.name, part.file_name.unwrap_or_else(|| text(part.content)))).collect()
}

fn owned(parts: &[(&str, &str)]) -> Vec<(String, String)> {
    parts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[tokio::test]
async fn a_recording_is_sent_as_a_form() {
    let stage = stage(OpenAi).await;
    let more = json!({
        "language": "en", "temperature": 0.2, "response_format": "verbose_json",
        "timestamp_granularities": ["word"], "include": ["logprobs"], "chunking_strategy[type]": "server_vad",
    });
    let request = transcription(more, TranscriptionTask::Transcribe);
    let answer = Behaviour::json(200, json!({"text": "Hi", "duration": 1.25, "words": []}));
    let transcript = transcribe(&stage, answer, &request).await.unwrap();
    assert_eq!((transcript.audio_ms, transcript.tokens), (Some(1_250), None));
    assert!(transcript.body.contains("words"));
    let received = stage.fake.take_requests().remove(0);
    assert_eq!(received.path, "/audio/transcriptions");
    assert_eq!(received.headers["authorization"], format!("Bearer {KEY}"));
    let expected = [
        ("file", "a talk.wav"),
        ("model", "upstream-model"),
        ("language", "en"),
        ("temperature", "0.2"),
        ("response_format", "verbose_json"),
        ("timestamp_granularities[]", "word"),
        ("include[]", "logprobs"),
        ("chunking_strategy[type]", "server_vad"),
    ];
    assert_eq!(shown(&received), owned(&expected));
    assert_eq!(received.parts()[0].content, b"RIFF\r\n--form-\0");
}

#[tokio::test]
async fn texts_and_tokens_are_read() {
    let stage = stage(OpenAi).await;
    let subtitles = transcription(json!({"response_format": "srt"}), TranscriptionTask::Translate);
    let text = "1\n00:00:00,000 --> 00:00:01,000\nGrüße\n";
    let answer = Behaviour::bytes(200, "text/plain; charset=utf-8", vec![text.into()]);
    let transcript = transcribe(&stage, answer, &subtitles).await.unwrap();
    assert_eq!((transcript.body.as_str(), transcript.audio_ms), (text, None));
    assert_eq!(stage.fake.take_requests().remove(0).path, "/audio/translations");

    let usage = json!({"type": "tokens", "input_tokens": 20, "output_tokens": 3, "total_tokens": 23});
    let request = transcription(json!({}), TranscriptionTask::Transcribe);
    let answer = Behaviour::json(200, json!({"text": "Hi", "usage": usage}));
    let transcript = transcribe(&stage, answer, &request).await.unwrap();
    assert_eq!(transcript.tokens, Some(Tokens { input: 20, output: 3, ..Tokens::default() }));

    let refused = Behaviour::json(400, json!({"error": {"message": "Invalid file format.", "param": "file"}}));
    let failure = transcribe(&stage, refused, &request).await.unwrap_err();
    assert_eq!((failure.param.as_deref(), failure.is_retryable()), (Some("file"), false));
}

#[tokio::test]
async fn speech_is_sent_as_json_and_read_in_pieces() {
    let stage = stage(OpenAi).await;
    let body = json!({
        "model": "public-name", "input": "Hi", "voice": {"id": "v"}, "response_format": "opus", "speed": 1.5,
        "instructions": "Softly.", "stream_format": "audio",
    });
    let request = SpeechRequest::read(body).unwrap();
    stage.fake.respond_with(Behaviour::bytes(200, "audio/ogg", vec!["Ogg".into(), "S".into()]));
    let answer = stage.provider.speak("upstream-model", &request).await.unwrap();
    assert_eq!(answer.content_type, "audio/ogg");
    let audio: Vec<_> = answer.audio.map(Result::unwrap).collect().await;
    assert_eq!(audio.concat(), b"OggS");
    let sent = json!({
        "model": "upstream-model", "input": "Hi", "voice": {"id": "v"}, "response_format": "opus", "speed": 1.5,
        "instructions": "Softly.",
    });
    assert_eq!(stage.take_request_body(), sent);

    // What is no audio gets the type of the format, so that no browser takes it for a page.
    stage.fake.respond_with(Behaviour::bytes(200, "text/html", vec!["OggS".into()]));
    assert_eq!(stage.provider.speak("upstream-model", &request).await.unwrap().content_type, "audio/opus");
    for (behaviour, code) in [
        (Behaviour::bytes(200, "audio/ogg", vec![]), "provider_answer_garbled"),
        (Behaviour::json(200, json!({"error": {"code": "invalid_argument"}})), "invalid_argument"),
        (Behaviour::json(200, json!({"audio": "no"})), "provider_answer_garbled"),
        (Behaviour::bytes(200, "audio/ogg", vec!["a".into(), "b".into()]).cut_after(0), "provider_stream_cut"),
    ] {
        stage.fake.respond_with(behaviour);
        assert_eq!(stage.provider.speak("upstream-model", &request).await.err().unwrap().code, code);
    }
    // A failure after the first piece is the last item.
    stage.fake.respond_with(Behaviour::bytes(200, "audio/ogg", vec!["a".into(), "b".into()]).cut_after(1));
    let answer = stage.provider.speak("upstream-model", &request).await.unwrap();
    let pieces: Vec<_> = answer.audio.collect().await;
    assert!(pieces[0].is_ok() && pieces[1].is_err() && pieces.len() == 2, "{pieces:?}");
}

#[tokio::test]
async fn pictures_are_sent_as_a_form() {
    let stage = stage(OpenAi).await;
    let body = json!({
        "model": "public-name", "prompt": "a hat", "n": 2, "size": "auto", "quality": "high", "input_fidelity": "high",
        "output_compression": 80, "response_format": "url",
    });
    let request = ImageRequest::read_edit(body).unwrap();
    let sources = |count: usize, mask: bool| EditSources {
        pictures: (0..count).map(|number| file(&format!("{number}.png"), PNG)).collect(),
        mask: mask.then(|| file("mask.png", PNG)),
    };
    let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let answer = json!({"data": [{"b64_json": pixel}], "usage": {"input_tokens": 300, "output_tokens": 4_000}});
    stage.fake.respond_with(Behaviour::json(200, answer));
    let edited = stage.provider.edit_images("gpt-image-1", &request, &sources(2, true)).await.unwrap();
    assert_eq!(edited.pictures.len(), 1);
    assert_eq!(edited.usage, Some(Tokens { input: 300, output: 4_000, ..Tokens::default() }));
    let received = stage.fake.take_requests().remove(0);
    let expected = [
        ("model", "gpt-image-1"),
        ("prompt", "a hat"),
        ("n", "2"),
        ("size", "auto"),
        ("quality", "high"),
        ("input_fidelity", "high"),
        ("output_compression", "80"),
        ("image[]", "0.png"),
        ("image[]", "1.png"),
        ("mask", "mask.png"),
    ];
    assert_eq!((received.path.as_str(), shown(&received)), ("/images/edits", owned(&expected)));
    assert_eq!(received.parts()[7].content, PNG);

    // Other models return URLs by default, and some know only one picture.
    stage.provider.edit_images("dall-e-2", &request, &sources(1, false)).await.unwrap();
    let received = shown(&stage.fake.take_requests().remove(0));
    assert_eq!(received[received.len() - 2..], owned(&[("response_format", "b64_json"), ("image", "0.png")]));
}

#[tokio::test]
async fn other_providers_refuse_audio_and_edits_without_a_call() {
    for kind in [ProviderKind::Anthropic, ProviderKind::Gemini, ProviderKind::Bedrock] {
        let stage = stage(kind).await;
        let request = transcription(json!({}), TranscriptionTask::Transcribe);
        let speech = SpeechRequest::read(json!({"model": "m", "input": "Hi"})).unwrap();
        let images = ImageRequest::read(json!({"model": "m", "prompt": "a hat"})).unwrap();
        let sources = EditSources { pictures: vec![file("a.png", PNG)], mask: None };
        let failures = [
            stage.provider.transcribe("m", &request).await.err(),
            stage.provider.speak("m", &speech).await.err(),
            stage.provider.edit_images("m", &images, &sources).await.err(),
        ];
        for failure in failures {
            assert_eq!(failure.unwrap().code, "parameter_not_supported", "{kind:?}");
        }
        assert!(stage.fake.take_requests().is_empty());
    }
}

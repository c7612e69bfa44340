//! Sealed secrets, objects of the bucket, and the credits of the demo organizations.

use std::time::Duration;

use domain::money::Money;
use local::seed;
use platform::bucket::Bucket;
use platform::config;
use platform::secrets::Secrets;
use store::Leases;
use tests::client::Person;
use tests::{TestApp, walk};

#[tokio::test]
async fn a_sealed_secret_opens_only_in_its_place() {
    let app = TestApp::start().await;
    let secrets = Secrets::of_credentials(&app.platform.context()).unwrap();
    let sealed = secrets.seal("org_1/credential/token", b"hunter2").await.unwrap();
    let text = serde_json::to_string(&sealed).unwrap();
    assert!(!text.contains("hunter2"));
    let stored = serde_json::from_str(&text).unwrap();
    assert_eq!(&**secrets.open("org_1/credential/token", &stored).await.unwrap(), b"hunter2");
    assert!(secrets.open("org_2/credential/token", &stored).await.is_err());
    let other_start = Secrets::of_credentials(&app.platform.context()).unwrap();
    assert_eq!(&**other_start.open("org_1/credential/token", &stored).await.unwrap(), b"hunter2");

    let again = secrets.seal("org_1/credential/token", b"hunter2").await.unwrap();
    assert_ne!(again, sealed, "each sealing of a secret gives another ciphertext");
}

#[tokio::test]
async fn one_data_key_is_requested_for_many_secrets() {
    let app = TestApp::start().await;
    let secrets = Secrets::of_credentials(&app.platform.context()).unwrap();
    app.recorder.take();
    for i in 0..50 {
        let sealed = secrets.seal("place", format!("secret {i}").as_bytes()).await.unwrap();
        assert_eq!(&**secrets.open("place", &sealed).await.unwrap(), format!("secret {i}").as_bytes());
    }
    assert_eq!(app.recorder.take_costs().to_string(), "1 kms:Decrypt, 1 kms:GenerateDataKey");
}

#[tokio::test]
async fn an_object_is_stored_and_a_presigned_url_reads_only_it() {
    let app = TestApp::start().await;
    let bucket = Bucket::new(&app.platform.context(), config::BUCKET_FILES).unwrap();
    let content = b"a manifest".repeat(1000);
    bucket.put("manifests/one.json", "application/json", content.clone()).await.unwrap();
    bucket.put("manifests/two.json", "application/json", b"another".to_vec()).await.unwrap();
    assert_eq!(bucket.get("manifests/one.json").await.unwrap().as_deref(), Some(&content[..]));
    assert_eq!(bucket.get("manifests/none.json").await.unwrap(), None);

    let address = bucket.presigned("manifests/one.json", Duration::from_secs(60)).await.unwrap();
    let (origin, path) = address.split_at(address.find("/filesbucket").expect("a path-style address"));
    let anyone = Person::new(origin, None);
    assert_eq!(anyone.get(path).await.text.as_bytes(), &content[..]);
    assert_eq!(anyone.get(&path.replace("one.json", "two.json")).await.status, "403 Forbidden");
}

#[tokio::test]
async fn lists_have_the_objects_of_their_prefix_in_order_and_in_pages() {
    let app = TestApp::start().await;
    let bucket = Bucket::new(&app.platform.context(), config::BUCKET_FILES).unwrap();
    // A slash comes after a full stop and before a letter.
    let keys = ["list/a.txt", "list/a/1", "list/a/b/2", "list/ab", "list/b/c/3", "list/c"];
    for key in keys.iter().rev().chain(&["other/a/1", "lists/1"]) {
        bucket.put(key, "text/plain", b"content".to_vec()).await.unwrap();
    }
    let (client, name) = (
        app.platform.context().aws.s3(),
        app.platform.context().config.required(config::BUCKET_FILES).unwrap().to_owned(),
    );
    let list = async |prefix: &str, after: Option<&str>, size: i32| {
        let call = client.list_objects_v2().bucket(&name).prefix(prefix).set_start_after(after.map(str::to_owned));
        let page = call.max_keys(size).send().await.unwrap();
        let keys: Vec<_> = page.contents().iter().map(|object| object.key().unwrap().to_owned()).collect();
        assert_eq!(page.is_truncated(), Some(page.next_continuation_token().is_some()));
        (keys, page.next_continuation_token().map(str::to_owned))
    };
    assert_eq!(list("list/", None, 10).await.0, keys);
    assert_eq!(list("list/a", None, 10).await.0, keys[..4]);
    assert_eq!(list("list/a/", None, 10).await.0, keys[1..3]);
    assert_eq!(list("list/a/", None, 2).await, (keys[1..3].iter().map(ToString::to_string).collect(), None));
    for none in ["list/d", "none/", "list/c/", "../", "/"] {
        assert_eq!(list(none, None, 10).await, (Vec::new(), None), "{none}");
    }
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let (page, next) = list("list/", after.as_deref(), 2).await;
        listed.extend(page);
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(listed, keys);
}

#[tokio::test]
async fn nothing_of_a_deleted_object_stays_on_the_disk() {
    let app = TestApp::start().await;
    let bucket = Bucket::new(&app.platform.context(), config::BUCKET_FILES).unwrap();
    let files = || {
        let folder = app.platform.data().s3_folder();
        let mut names: Vec<_> =
            walk(&folder).into_iter().map(|path| path.strip_prefix(&folder).unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let before = files();
    for key in ["one/a/b", "one/a/c", "one/d", "two/e/f"] {
        bucket.put(key, "text/plain", b"content".to_vec()).await.unwrap();
    }
    bucket.delete("one/a/b").await.unwrap();
    assert_eq!(bucket.get("one/a/c").await.unwrap().as_deref(), Some(&b"content"[..]));
    bucket.delete("two/e/f").await.unwrap();
    bucket.delete("two/e/f").await.unwrap();
    bucket.delete_all("one/").await.unwrap();
    assert_eq!(files(), before);

    // Folders that become empty while others are stored in them.
    let changes = (0..64).map(|n| {
        let (bucket, key) = (bucket.clone(), format!("shared/folder/{}", n % 8));
        async move {
            bucket.put(&key, "text/plain", vec![b'a'; 2_000]).await.unwrap();
            bucket.delete(&key).await.unwrap();
        }
    });
    futures::future::join_all(changes).await;
    assert_eq!(files(), before);
}

#[tokio::test]
async fn demo_organizations_get_their_credits_once() {
    let app = TestApp::start().await;
    let leases = Leases::new(&app.platform.context()).unwrap();
    let org = app.account("ada").org;
    assert_eq!(leases.balance(org).await.unwrap().1, Money::from_usd(25));
    seed::grant_first_credits(&app.platform.context(), org).await.unwrap();
    assert_eq!(leases.balance(org).await.unwrap().1, Money::from_usd(25));
}

#[tokio::test]
async fn objects_expire_by_the_rules_of_the_template() {
    let app = TestApp::start().await;
    let bucket = Bucket::new(&app.platform.context(), config::BUCKET_FILES).unwrap();
    for name in ["tmp/answers/one", "threads/7d/one/two", "webhook-events/one", "manifests/one.json"] {
        bucket.put(name, "application/json", b"{}".to_vec()).await.unwrap();
    }
    let days = |days: u64| std::time::SystemTime::now() + Duration::from_secs(days * 24 * 60 * 60);
    assert_eq!(app.platform.expire(days(1)).await, 0);
    assert_eq!(app.platform.expire(days(3)).await, 1);
    assert_eq!(bucket.get("tmp/answers/one").await.unwrap(), None);
    assert_eq!(app.platform.expire(days(9)).await, 1);
    assert_eq!(bucket.get("threads/7d/one/two").await.unwrap(), None);
    assert_eq!(app.platform.expire(days(400)).await, 1);
    assert_eq!(bucket.get("webhook-events/one").await.unwrap(), None);
    assert!(bucket.get("manifests/one.json").await.unwrap().is_some(), "objects without a rule stay");
}

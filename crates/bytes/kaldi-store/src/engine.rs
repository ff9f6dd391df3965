//! Objects of all kinds, by name.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use bstr::{BStr, BString};
use bytes::Bytes;
use futures::StreamExt;
use kaldi_io::sync::Mutex;
use opendal::{ErrorKind, Operator};

use crate::attempts::Attempts;
use crate::cache::Cache;
use crate::client::Client;
use crate::fault::Fault;
use crate::lru_map::LruMap;
use crate::metadata::{Body, ObjectMetadata, Part, Reply};
use crate::place::{self, ObjectPlace};
use crate::settings::Settings;
use crate::transport::{ATTEMPTS, Transport};
use crate::web;

/// Reads and writes objects.
#[derive(Debug)]
pub struct Engine {
    /// How patient to be.
    pub settings: Settings,
    client: Arc<Client>,
    /// The store of each bucket that was used.
    operators: Mutex<HashMap<(String, String), Operator>>,
    /// The facts about the objects that were read last. All readers of this process read the same version.
    known: Mutex<LruMap<BString, ObjectMetadata>>,
    /// Lengths of objects that were opened and can be read at any place, so that they need not be requested again.
    positioned: Mutex<LruMap<BString, u64>>,
    /// Blocks on disk, if they are wanted.
    pub cache: Option<Arc<Cache>>,
}

/// An object by its name.
#[derive(Clone, Debug)]
pub struct Object {
    /// The name.
    pub url: BString,
    place: ObjectPlace,
    /// The name of the object in messages.
    pub shown: Arc<str>,
}

impl Object {
    /// Reads a name.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(url: &BStr) -> Result<Self, Fault> {
        let shown = String::from_utf8_lossy(&kaldi_io::log::hide_secrets(url)).into_owned();
        Ok(Self { url: url.to_owned(), place: ObjectPlace::parse(url)?, shown: shown.into() })
    }

    /// The text that identifies the object.
    pub fn address(&self) -> String {
        self.place.address()
    }
}

impl Engine {
    /// An engine without connections.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            client: Arc::new(Client::new(settings)),
            operators: Mutex::default(),
            known: Mutex::default(),
            positioned: Mutex::default(),
            cache: None,
        }
    }

    /// Keeps blocks of objects that are read.
    pub fn with_cache(self, cache: Cache) -> Self {
        Self { cache: Some(Arc::new(cache)), ..self }
    }

    /// The tries of a new stream.
    pub fn attempts(&self, object: &Object) -> Attempts {
        Attempts::new(self.settings, &object.shown)
    }

    /// Checks that an object exists, and that its version is the known one.
    ///
    /// # Errors
    /// If it is not.
    pub async fn check(&self, object: &Object, attempts: &Attempts) -> Result<ObjectMetadata, Fault> {
        let metadata = self.stat(object, attempts).await?;
        self.know(object, &metadata)?;
        Ok(metadata)
    }

    /// Waits until everything is written to the cache.
    pub fn close(&self) {
        if let Some(cache) = &self.cache {
            cache.close();
        }
    }

    /// Requests a part of an object. The answer may be empty if the part is after the object's end.
    ///
    /// # Errors
    /// If there is no such object, it cannot be read, or it is not the one that was read before.
    pub async fn get(&self, object: &Object, part: &Part, attempts: &Attempts) -> Result<Reply, Fault> {
        let known = self.known(object);
        let reply = match &object.place {
            ObjectPlace::Web(url) => web::get(&self.client, url, part, known.as_ref(), attempts).await?,
            ObjectPlace::Stored { scheme, bucket, key } => {
                let operator = self.operator(scheme, bucket)?;
                let work = get_stored(&operator, key, part, known.as_ref());
                ATTEMPTS.scope(attempts.clone(), work).await?
            }
        };
        self.know(object, &reply.metadata)?;
        Ok(reply)
    }

    /// The facts about an object.
    ///
    /// # Errors
    /// If there is none.
    pub async fn stat(&self, object: &Object, attempts: &Attempts) -> Result<ObjectMetadata, Fault> {
        match &object.place {
            // Presigned addresses allow only one method.
            ObjectPlace::Web(_) => Ok(self.get(object, &Part::from(0..1), attempts).await?.metadata),
            ObjectPlace::Stored { scheme, bucket, key } => {
                let operator = self.operator(scheme, bucket)?;
                ATTEMPTS.scope(attempts.clone(), stat_stored(&operator, key)).await
            }
        }
    }

    /// Waits for the next bytes of a body.
    ///
    /// # Errors
    /// If the connection breaks.
    pub async fn next_piece(&self, body: &mut Body) -> Result<Option<Bytes>, Fault> {
        match body {
            Body::Web(answer) => self.client.next_piece(answer).await,
            Body::Stored(stream) => stream.next().await.transpose().map_err(|error| Fault::of_store(&error)),
            Body::Empty => Ok(None),
        }
    }

    /// The store that an object is in, and its name there.
    ///
    /// # Errors
    /// If it is in none.
    pub fn stored(&self, object: &Object) -> Result<(Operator, String), Fault> {
        match &object.place {
            ObjectPlace::Web(_) => {
                let message = "objects on the web (http, https) can only be read";
                Err(Fault::new(std::io::ErrorKind::Unsupported, message))
            }
            ObjectPlace::Stored { scheme, bucket, key } => Ok((self.operator(scheme, bucket)?, key.clone())),
        }
    }

    /// Forgets the facts about an object, since there is a new one.
    pub fn forget(&self, object: &Object) {
        self.known.lock().remove(&object.url);
        self.positioned.lock().remove(&object.url);
    }

    /// The length of an object that was opened before and can be read at any place.
    pub fn positioned(&self, url: &BStr) -> Option<u64> {
        self.positioned.lock().get(url).copied()
    }

    /// Remembers the length of an object that can be read at any place.
    pub fn know_positioned(&self, url: &BStr, length: u64) {
        self.positioned.lock().put(url.to_owned(), length);
    }

    /// The known facts about an object.
    pub fn known(&self, object: &Object) -> Option<ObjectMetadata> {
        self.known.lock().get(&object.url).cloned()
    }

    fn know(&self, object: &Object, metadata: &ObjectMetadata) -> Result<(), Fault> {
        let mut known = self.known.lock();
        match known.get(&object.url) {
            Some(before) if !before.agree(metadata) => return Err(Fault::changed()),
            Some(before) if before.length.is_some() || metadata.length.is_none() => {}
            before => {
                let metadata = before.map_or_else(
                    || metadata.clone(),
                    |before| ObjectMetadata { length: metadata.length, ..before.clone() },
                );
                known.put(object.url.clone(), metadata);
            }
        }
        Ok(())
    }

    fn operator(&self, scheme: &str, bucket: &str) -> Result<Operator, Fault> {
        let mut operators = self.operators.lock();
        let name = (scheme.to_owned(), bucket.to_owned());
        if let Some(operator) = operators.get(&name) {
            return Ok(operator.clone());
        }
        let (client, settings) = (Arc::clone(&self.client), self.settings);
        let transport = Transport { client, settings, scheme: scheme.to_owned(), bucket: None };
        let operator = place::operator(scheme, bucket, transport)?;
        operators.insert(name, operator.clone());
        Ok(operator)
    }
}

async fn stat_stored(operator: &Operator, key: &str) -> Result<ObjectMetadata, Fault> {
    let metadata = match operator.stat(key).await {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            // An answer without a body does not say why. A byte is refused for the same reason.
            let why = operator.read_with(key).range(0..1).await.err();
            return Err(Fault::of_store(why.as_ref().unwrap_or(&error)));
        }
        Err(error) => return Err(Fault::of_store(&error)),
    };
    if metadata.is_dir() {
        return Err(Fault::new(std::io::ErrorKind::NotFound, "this is a folder and no object"));
    }
    let tag = metadata.etag().map(ToOwned::to_owned);
    let time = metadata.last_modified().filter(|_| tag.is_none());
    let version = tag.or_else(|| time.map(|time| time.to_string()));
    let changed = time.map(SystemTime::from);
    Ok(ObjectMetadata { length: Some(metadata.content_length()), version, changed, has_ranges: true })
}

/// Requests a part of an object of a store; if it is from the start, the facts are requested first.
async fn get_stored(
    operator: &Operator,
    key: &str,
    part: &Part,
    known: Option<&ObjectMetadata>,
) -> Result<Reply, Fault> {
    let has_tags = operator.info().full_capability().read_with_if_match;
    let metadata = match known {
        Some(known) if has_tags && known.version.is_some() => known.clone(),
        // If the store cannot compare versions, we do.
        _ => stat_stored(operator, key).await?,
    };
    if known.is_some_and(|known| !known.agree(&metadata)) {
        return Err(Fault::changed());
    }
    let length = metadata.length.unwrap_or(0);
    let end = part.end.map_or(length, |end| end.min(length));
    if part.start >= end {
        return Ok(Reply { metadata, start: part.start, body: Body::Empty });
    }
    let mut reader = operator.reader_with(key);
    if let (true, Some(version)) = (has_tags, &metadata.version) {
        reader = reader.if_match(version);
    }
    let reader = reader.await.map_err(|error| Fault::of_store(&error))?;
    let stream = reader.into_stream(part.start..end).await.map_err(|error| Fault::of_store(&error))?;
    let pieces = stream.flat_map(|buffer| match buffer {
        Ok(buffer) => futures::stream::iter(Iterator::map(buffer, Ok).collect::<Vec<_>>()),
        Err(error) => futures::stream::iter(vec![Err(error)]),
    });
    Ok(Reply { metadata, start: part.start, body: Body::Stored(pieces.boxed()) })
}

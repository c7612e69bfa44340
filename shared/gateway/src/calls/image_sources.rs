//! The pictures that jobs edit. They are in the bucket, because the items of jobs are small.

use futures::FutureExt;
use futures::future::{OptionFuture, try_join_all};

use crate::Gateway;
use crate::images::EditSources;
use crate::upload::UploadedFile;
use domain::id::{ImageJobId, OrgId};
use domain::image::{EditedPictures, PictureFormat};
use domain::{Error, Result};

impl Gateway {
    /// Stores the pictures that a job edits. A lifecycle rule of the bucket deletes them, after the job has expired.
    pub(super) async fn store_sources(
        &self,
        org: OrgId,
        job: ImageJobId,
        sources: Option<EditSources>,
    ) -> Result<Option<EditedPictures>> {
        let Some(EditSources { pictures, mask }) = sources else { return Ok(None) };
        let store = |name: String, picture: UploadedFile| async move {
            let object = format!("images/{org}/{job}/source-{name}");
            let content_type = picture.content_type.as_deref().unwrap_or_default();
            self.inner.files.put(&object, content_type, picture.content.to_vec()).await?;
            Ok::<_, Error>(object)
        };
        let pictures = pictures.into_iter().enumerate().map(|(number, picture)| store(number.to_string(), picture));
        let mask = mask.map(|mask| store("mask".to_owned(), mask));
        let (pictures, mask) =
            futures::try_join!(try_join_all(pictures), OptionFuture::from(mask).map(Option::transpose))?;
        Ok(Some(EditedPictures { pictures, mask }))
    }

    pub(super) async fn read_sources(&self, EditedPictures { pictures, mask }: &EditedPictures) -> Result<EditSources> {
        let read = |object: &String, name: String| {
            let object = object.clone();
            async move {
                let content = self.inner.files.get(&object).await?;
                let content = content.ok_or_else(|| Error::internal("a picture to edit is missing in the bucket"))?;
                let format = PictureFormat::of(&content);
                let format = format.ok_or_else(|| Error::internal("a picture to edit has no known format"))?;
                let name = format!("{name}.{}", format.extension());
                Ok::<_, Error>(UploadedFile { name, content_type: Some(format.content_type().to_owned()), content })
            }
        };
        let pictures = pictures.iter().enumerate().map(|(number, object)| read(object, format!("image-{number}")));
        let mask = mask.as_ref().map(|object| read(object, "mask".to_owned()));
        let (pictures, mask) =
            futures::try_join!(try_join_all(pictures), OptionFuture::from(mask).map(Option::transpose))?;
        Ok(EditSources { pictures, mask })
    }
}

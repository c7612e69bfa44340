//! The common base of `local` and `local services`: the embedded services with the template's resources, and the
//! settings that the template gives each function.

use std::collections::BTreeMap;
use std::sync::Arc;

use platform::Context;
use platform::aws::Aws;
use platform::config::{self, Config};
use platform::run_news::RunNews;
use platform::tasks::Tasks;
use platform::telemetry::Telemetry;

use crate::data_dir::DataDir;
use crate::expiry::BucketLifecycle;
use crate::failure::Failure;
use crate::function_access::FunctionAccess;
use crate::function_database::FunctionDatabase;
use crate::function_queues::FunctionQueues;
use crate::issuer::{AUDIENCE, CONSOLE_CLIENT, ISSUER, JWKS};
use crate::permissions::{DeniedCalls, GivenPermissions, Permissions};
use crate::pollers::{Deliver, LOOK_EVERY, Poller};
use crate::provision::{check_resources, find_key, provision};
use crate::recorder::Recorder;
use crate::services::{Endpoints, ServiceOptions, Services};
use crate::sign_in;
use crate::template::{SamTemplate, Setting};

/// The private networks that outbound requests may reach by default: models may run on this machine.
pub const THIS_MACHINE: &str = "127.0.0.0/8,::1/128";

/// The parameters of a start that the template does not define.
pub struct Setup<'a> {
    pub services: ServiceOptions,
    /// The public URL of the platform.
    pub base_url: &'a str,
    /// The URL at which the own issuer is served.
    pub issuer_url: &'a str,
    pub outbound_allowed: &'a str,
    /// The resources of all workbenches. Empty: there is no limit.
    pub workbench_capacity: &'a str,
    /// The platform's own ports, except those of the services. Outbound requests to them are refused (SSRF).
    pub own_ports: &'a [u16],
    pub max_outbound: usize,
    /// Settings that are not in the template.
    pub more_settings: Vec<(String, String)>,
}

pub struct Runtime {
    pub aws: Aws,
    pub template: SamTemplate,
    pub services: Services,
    /// The value of each `!Ref`, by the id of the resource or the parameter.
    resources: BTreeMap<String, String>,
    /// Settings that every function gets on this machine and not in a deployment.
    local_settings: Vec<(String, String)>,
    pub denied: DeniedCalls,
    pub permissions: GivenPermissions,
    /// Runs end in this process, unless `cargo lambda watch` runs the functions.
    run_news: RunNews,
    /// The work of functions that goes on after their answers.
    pub tasks: Tasks,
    /// Where the services are called over HTTP, so that tests can have a proxy in front of them; `None` in all other cases.
    pub proxy: Option<Endpoints>,
    pub recorder: Option<Recorder>,
    /// The metrics and traces of all functions.
    pub telemetry: Telemetry,
}

impl Runtime {
    pub async fn start(data: &DataDir, setup: Setup<'_>) -> Result<Self, Failure> {
        let template = SamTemplate::read();
        let services = Services::start(data, &template, setup.services).await?;
        let aws = services.aws();
        let stored_key = services.stored_key_id();
        if let Some(key) = &stored_key {
            check_resources(&aws, data, &template, key).await?;
        }
        let mut resources = provision(&aws, &template).await?;
        services.save()?;
        services.keep_saving();
        if stored_key.is_none()
            && let Some(id) = template.keys.first()
            && let Some(key) = find_key(&aws, id).await
        {
            services.store_key_id(&key)?;
        }
        let jwks_url = format!("{}{JWKS}", setup.issuer_url);
        let discovery_url = sign_in::discovery_url(setup.issuer_url);
        // The values of the template's parameters on this machine.
        let parameters = [
            ("AuthIssuer", ISSUER),
            ("AuthAudience", AUDIENCE),
            ("AuthJwksUrl", &jwks_url),
            ("AuthDiscoveryUrl", &discovery_url),
            ("ConsoleClientId", CONSOLE_CLIENT),
            ("BaseUrl", setup.base_url),
            ("OutboundAllowedCidrs", setup.outbound_allowed),
            ("WorkbenchCapacity", setup.workbench_capacity),
        ];
        resources.extend(template.parameters.clone());
        resources.extend(parameters.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let service_ports = services.endpoints.iter().flat_map(Endpoints::ports);
        let own_ports = service_ports.chain(setup.own_ports.iter().copied());
        let mut refused_ports: Vec<_> = own_ports.map(|port| port.to_string()).collect();
        let (more_refused, more_settings): (Vec<_>, Vec<_>) =
            setup.more_settings.into_iter().partition(|(name, _)| name == config::OUTBOUND_REFUSED_PORTS);
        refused_ports.extend(more_refused.into_iter().map(|(_, ports)| ports));
        let mut local_settings = vec![
            (config::OUTBOUND_REFUSED_PORTS.to_owned(), refused_ports.join(",")),
            (config::OUTBOUND_MAX_CONNECTIONS.to_owned(), setup.max_outbound.to_string()),
        ];
        local_settings.extend(more_settings);
        let telemetry = Telemetry::from_config(&local_settings.iter().cloned().collect(), "local")?.with_metrics();
        Ok(Self {
            aws,
            template,
            services,
            resources,
            local_settings,
            denied: DeniedCalls::default(),
            permissions: GivenPermissions::default(),
            run_news: RunNews::default(),
            tasks: Tasks::default(),
            proxy: None,
            recorder: None,
            telemetry,
        })
    }

    /// The context of a function: its own settings, and AWS clients that are limited to its policies.
    pub fn context_of(&self, function: &str) -> Context {
        let grants = self.template.functions.get(function).map(|function| function.grants.as_slice());
        let (grants, denied) = (grants.unwrap_or_default(), self.denied.clone());
        let permissions = Permissions::new(function, grants, &self.resources, &self.permissions, denied);
        let aws = self.aws.clone().with_interceptors([permissions.clone().interceptor()]);
        let aws = self.with_typed_services(aws, Some(permissions));
        let context = Context::new(self.settings_of(function).collect(), aws);
        self.in_this_process(Context { telemetry: self.telemetry.of_function(function), ..context })
    }

    pub fn settings_of(&self, function: &str) -> impl Iterator<Item = (String, String)> {
        let settings = self.template.functions.get(function).map(|function| &function.settings);
        let settings = settings.into_iter().flatten().map(|(name, setting)| (name.clone(), self.resolve(setting)));
        settings.chain(self.local_settings.iter().cloned())
    }

    /// The settings of all functions together.
    pub fn settings(&self) -> impl Iterator<Item = (String, String)> {
        self.template.functions.keys().flat_map(|function| self.settings_of(function))
    }

    /// A context with the settings of all functions, for tools and tests.
    pub fn context(&self) -> Context {
        // Tools and tests need these settings even if no function has them.
        let reference = |id: &str| self.resolve(&Setting::Ref(id.to_owned()));
        let others = [(config::BUCKET_FILES, "FilesBucket"), (config::KMS_KEY, "SecretsKey")];
        let others = others.map(|(name, id)| (name.to_owned(), reference(id)));
        let aws = self.with_typed_services(self.aws.clone(), None);
        self.in_this_process(Context::new(self.settings().chain(others).collect::<Config>(), aws))
    }

    /// AWS clients with new connections, and without permissions.
    pub fn new_aws(&self) -> Aws {
        let aws = match &self.proxy {
            Some(proxy) => Aws::local(proxy.sdk_config()),
            None => self.services.aws(),
        };
        aws.with_interceptors(self.recorder.as_ref().map(Recorder::interceptor))
    }

    /// Lets the clients call the database and the queues in this process by typed operations.
    pub fn with_typed_services(&self, aws: Aws, permissions: Option<Permissions>) -> Aws {
        if self.proxy.is_some() {
            return aws;
        }
        let Services { database, storage, queues, .. } = &self.services;
        let access = FunctionAccess { permissions, recorder: self.recorder.clone() };
        let queues = FunctionQueues { queues: queues.clone(), access: access.clone() };
        let database = FunctionDatabase { database: database.clone(), storage: storage.clone(), access };
        aws.with_database(Arc::new(database)).with_queues(Arc::new(queues))
    }

    /// The context of a function that runs in this process and ends with it.
    fn in_this_process(&self, context: Context) -> Context {
        Context { run_news: Some(self.run_news.clone()), tasks: self.tasks.clone(), ..context }
    }

    /// A poller for every queue of a function to which `deliver` can deliver.
    pub fn pollers(&self, deliver: impl Fn(&str) -> Option<Deliver>) -> Vec<Poller> {
        let sources =
            self.template.functions.iter().filter_map(|(name, function)| Some((name, function.source.as_ref()?)));
        let pollers = sources.filter_map(|(name, source)| {
            Some(Poller {
                function: name.clone(),
                queues: self.services.queues.clone(),
                wake: self.services.queues.wake_of(&source.queue),
                look_every: LOOK_EVERY,
                queue_url: self.resources.get(&source.queue)?.clone(),
                batch_size: source.batch_size,
                max_concurrency: source.max_concurrency,
                deliver: deliver(name)?,
            })
        });
        pollers.collect()
    }

    /// The lifecycle rules of all buckets.
    pub fn bucket_lifecycles(&self) -> Vec<BucketLifecycle> {
        let lifecycles = self.template.buckets.iter().filter_map(|(id, rules)| {
            let bucket = self.resources.get(id)?.clone();
            Some(BucketLifecycle { client: self.aws.s3(), bucket, rules: rules.clone() })
        });
        lifecycles.collect()
    }

    fn resolve(&self, setting: &Setting) -> String {
        match setting {
            Setting::Text(text) => text.clone(),
            Setting::Ref(id) => self.resources.get(id).cloned().unwrap_or_default(),
        }
    }
}

//! A self-signed TLS certificate, encoded as DER by hand to avoid fifteen packages.

use std::net::Ipv4Addr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

pub struct Certificate {
    der: Vec<u8>,
    pkcs8: Vec<u8>,
}

impl Certificate {
    /// A certificate for the name or the IPv4 address of a host.
    pub fn new(host: &str) -> Self {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap().as_ref().to_vec();
        let key = Ed25519KeyPair::from_pkcs8(&pkcs8).unwrap();
        let ed25519 = sequence(&[der(OID, &[0x2b, 0x65, 0x70])]);
        let nobody = sequence(&[]);
        let valid = sequence(&[der(UTC_TIME, b"000101000000Z"), der(UTC_TIME, b"491231235959Z")]);
        let public_key = sequence(&[ed25519.clone(), bit_string(key.public_key().as_ref())]);
        let host = match host.parse::<Ipv4Addr>() {
            Ok(address) => der(IP_ADDRESS, &address.octets()),
            Err(_) => der(DNS_NAME, host.as_bytes()),
        };
        let subject_alt_name = sequence(&[der(OID, &[0x55, 0x1d, 0x11]), der(OCTET_STRING, &sequence(&[host]))]);
        let version_3 = der(VERSION, &der(INTEGER, &[2]));
        let extensions = der(EXTENSIONS, &sequence(&[subject_alt_name]));
        let serial = der(INTEGER, &[1]);
        let signed =
            sequence(&[version_3, serial, ed25519.clone(), nobody.clone(), valid, nobody, public_key, extensions]);
        let signature = bit_string(key.sign(&signed).as_ref());
        Self { der: sequence(&[signed, ed25519, signature]), pkcs8 }
    }

    pub fn pem(&self) -> String {
        pem("CERTIFICATE", &self.der)
    }

    pub fn key_pem(&self) -> String {
        pem("PRIVATE KEY", &self.pkcs8)
    }

    /// The certificate and its key, as a TLS server takes them.
    pub fn identity(&self) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        (vec![self.der.clone().into()], PrivatePkcs8KeyDer::from(self.pkcs8.clone()).into())
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

// Tags of DER types and of X.509 fields.
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OID: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;

fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap();
    let head = if length < 0x80 { vec![tag, length] } else { vec![tag, 0x81, length] };
    [&head, content].concat()
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    der(SEQUENCE, &parts.concat())
}

fn bit_string(bytes: &[u8]) -> Vec<u8> {
    der(BIT_STRING, &[&[0], bytes].concat())
}

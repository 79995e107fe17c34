//! The cluster's own authority, and the certificates that it signs.

use crate::config::is_name;
use crate::tls::{certificate_name, client_name, day};
use crate::{Problem, clock};
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose,
    NameConstraints, PublicKeyData as _, RevokedCertParams, SanType, SerialNumber,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer};
use std::collections::BTreeMap;
use std::net::IpAddr;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::revocation_list::CertificateRevocationList;
use x509_parser::time::ASN1Time;

const DAY_S: i64 = 24 * 60 * 60;

/// Certificates begin so much before they are made: clocks of members differ.
const BEFORE_S: i64 = 60 * 60;

/// From when until when, in seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Validity {
    /// The first second.
    pub from: i64,
    /// The last one.
    pub until: i64,
}

impl Validity {
    /// From an hour ago, for so many days.
    #[must_use]
    pub fn days(days: u32) -> Validity {
        let now = seconds_now();
        Validity { from: now - BEFORE_S, until: now.saturating_add(i64::from(days).saturating_mul(DAY_S)) }
    }
}

/// This second since 1970.
#[must_use]
pub fn seconds_now() -> i64 {
    i64::try_from(clock::wall() / 1_000_000).unwrap_or(i64::MAX)
}

/// A certificate and its key, both as PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Pair {
    /// The certificate.
    pub certificate: String,
    /// The key: nobody else may read it.
    pub key: String,
}

/// A new authority for this cluster.
///
/// # Errors
/// If the name cannot stand in certificates, or the days are beyond the calendar.
pub fn authority(cluster: &str, validity: Validity) -> Result<Pair, Problem> {
    named("cluster", cluster)?;
    let mut params = params(&format!("ringleader {cluster} CA"), validity)?;
    // It signs members and nothing else: no authorities below it, and no names that others could believe.
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.name_constraints = Some(NameConstraints {
        permitted_subtrees: vec![GeneralSubtree::DnsName(crate::tls::SUFFIX.to_owned())],
        excluded_subtrees: Vec::new(),
    });
    let key = KeyPair::generate().map_err(|error| failed(&error))?;
    let certificate = params.self_signed(&key).map_err(|error| failed(&error))?;
    Ok(Pair { certificate: certificate.pem(), key: key.serialize_pem() })
}

/// A certificate for a member. It does not outlive the authority.
///
/// # Errors
/// If a name cannot stand in certificates, the authority is none or has expired, or its key is another's.
pub fn issue(authority: &Pair, cluster: &str, member: &str, validity: Validity) -> Result<Pair, Problem> {
    issue_at(authority, cluster, (member, &[]), validity)
}

/// The same for a member whom clients of others look for at these addresses: they believe a certificate for what they
/// dial, and know no names of members.
///
/// # Errors
/// As [`issue`].
pub fn issue_at(
    authority: &Pair,
    cluster: &str,
    (member, addresses): (&str, &[IpAddr]),
    validity: Validity,
) -> Result<Pair, Problem> {
    named("cluster", cluster)?;
    named("member", member)?;
    let purposes = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    sign(authority, cluster, (certificate_name(member, cluster), addresses), purposes, validity)
}

/// A certificate for a client: no member takes it for a member's.
///
/// # Errors
/// As [`issue`].
pub fn issue_client(
    authority: &Pair,
    cluster: &str,
    client: &str,
    validity: Validity,
) -> Result<Pair, Problem> {
    named("cluster", cluster)?;
    named("client", client)?;
    sign(
        authority,
        cluster,
        (client_name(client, cluster), &[]),
        vec![ExtendedKeyUsagePurpose::ClientAuth],
        validity,
    )
}

/// The list of what an authority has revoked, as PEM, with these certificates on it too; and all their numbers. It
/// has no end: who lets it age is not to stop a cluster.
///
/// # Errors
/// If the authority is none, the list is not its own, or a certificate is not.
pub fn revoke(authority: &Pair, list: Option<&[u8]>, revoked: &[Vec<u8>]) -> Result<Revoked, Problem> {
    let bad = |why: String| Problem::input("certificate_list", why);
    let cannot = |why: &str| {
        Problem::environment("certificate_authority", format!("the authority cannot sign: {why}"))
    };
    let key =
        KeyPair::from_pem(&authority.key).map_err(|_| cannot("its key is no private key in PEM form"))?;
    let shown = show(authority.certificate.as_bytes())?;
    let shown = shown.first().ok_or_else(|| cannot("it is no certificate in PEM form"))?;
    if !shown.is_authority || shown.public_key != key.subject_public_key_info() {
        return Err(cannot("its key is not that of the certificate of an authority"));
    }
    let (mut entries, mut number) = (BTreeMap::new(), 0);
    if let Some(list) = list {
        let der = CertificateRevocationListDer::from_pem_slice(list)
            .map_err(|_| bad("it holds no list of revoked certificates in PEM form".to_owned()))?;
        let (_, known) = CertificateRevocationList::from_der(&der)
            .map_err(|_| bad("the list of revoked certificates cannot be read".to_owned()))?;
        if known.issuer().to_string() != shown.subject {
            return Err(bad(format!("the list is by {}, not by {}", known.issuer(), shown.subject)));
        }
        number = known.crl_number().and_then(|number| u64::try_from(number).ok()).unwrap_or_default();
        for one in known.iter_revoked_certificates() {
            entries.insert(positive(one.raw_serial()), one.revocation_date.timestamp());
        }
    }
    for pem in revoked {
        let der = CertificateDer::from_pem_slice(pem)
            .map_err(|_| bad("a file holds no certificate in PEM form".to_owned()))?;
        let (_, certificate) = X509Certificate::from_der(&der)
            .map_err(|_| bad("a certificate that cannot be read".to_owned()))?;
        if certificate.issuer().to_string() != shown.subject {
            let (subject, issuer) = (certificate.subject(), certificate.issuer());
            return Err(bad(format!("{subject} is a certificate of {issuer}, not of {}", shown.subject)));
        }
        entries.entry(positive(certificate.raw_serial())).or_insert_with(seconds_now);
    }
    let issuer =
        Issuer::from_ca_cert_pem(&authority.certificate, key).map_err(|error| cannot(&error.to_string()))?;
    let listed = |(serial, at): (&Vec<u8>, &i64)| {
        Ok(RevokedCertParams {
            serial_number: SerialNumber::from_slice(serial),
            revocation_time: moment(*at)?.to_datetime(),
            reason_code: None,
            invalidity_date: None,
        })
    };
    let params = CertificateRevocationListParams {
        this_update: moment(seconds_now())?.to_datetime(),
        next_update: moment(shown.validity.until)?.to_datetime(),
        crl_number: SerialNumber::from(number + 1),
        issuing_distribution_point: None,
        revoked_certs: entries.iter().map(listed).collect::<Result<_, Problem>>()?,
        key_identifier_method: KeyIdMethod::Sha256,
    };
    let pem = params.signed_by(&issuer).and_then(|list| list.pem()).map_err(|error| failed(&error))?;
    let hexadecimal =
        |serial: &Vec<u8>| serial.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":");
    Ok(Revoked { pem, serials: entries.keys().map(hexadecimal).collect() })
}

/// A list of revoked certificates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Revoked {
    /// As PEM.
    pub pem: String,
    /// The numbers on it, in hexadecimal.
    pub serials: Vec<String>,
}

/// A number as certificates have it, without the zero that says that it is positive.
fn positive(serial: &[u8]) -> Vec<u8> {
    let zeros = serial.iter().take_while(|byte| **byte == 0).count();
    serial[zeros.min(serial.len().saturating_sub(1))..].to_vec()
}

fn sign(
    authority: &Pair,
    cluster: &str,
    (name, addresses): (String, &[IpAddr]),
    purposes: Vec<ExtendedKeyUsagePurpose>,
    validity: Validity,
) -> Result<Pair, Problem> {
    let bad = |why: &str| {
        Problem::environment("certificate_authority", format!("the authority cannot sign: {why}"))
            .help("a new one, whose certificates are all new too, is made by:")
            .command(format!("ringleader cert init --cluster {cluster}"), "")
    };
    let key = KeyPair::from_pem(&authority.key).map_err(|_| bad("its key is no private key in PEM form"))?;
    let shown =
        show(authority.certificate.as_bytes()).map_err(|_| bad("it is no certificate in PEM form"))?;
    let shown = shown.first().ok_or_else(|| bad("it is no certificate in PEM form"))?;
    if !shown.is_authority {
        return Err(bad("it is the certificate of a member, not of an authority"));
    }
    if shown.public_key != key.subject_public_key_info() {
        return Err(bad("its key is not that of its certificate"));
    }
    if shown.validity.until <= validity.from {
        return Err(bad(&format!("it has expired, on {}", shown.until())));
    }
    let validity = Validity { until: validity.until.min(shown.validity.until), ..validity };
    let mut params = params(&name, validity)?;
    let dns = name.clone().try_into().map_err(|error| failed(&error))?;
    params.subject_alt_names = vec![SanType::DnsName(dns)];
    params.subject_alt_names.extend(addresses.iter().map(|address| SanType::IpAddress(*address)));
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = purposes;
    params.use_authority_key_identifier_extension = true;
    let issuer =
        Issuer::from_ca_cert_pem(&authority.certificate, key).map_err(|error| bad(&error.to_string()))?;
    let own = KeyPair::generate().map_err(|error| failed(&error))?;
    let certificate = params.signed_by(&own, &issuer).map_err(|error| failed(&error))?;
    Ok(Pair { certificate: certificate.pem(), key: own.serialize_pem() })
}

/// What a certificate says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Whose it is.
    pub subject: String,
    /// Its names.
    pub names: Vec<String>,
    /// Who signed it.
    pub issuer: String,
    /// From when until when.
    pub validity: Validity,
    /// Whether it may sign others.
    pub is_authority: bool,
    /// Its number, in hexadecimal.
    pub serial: String,
    /// The public key, as the standard has it.
    public_key: Vec<u8>,
}

impl Shown {
    /// The first day.
    #[must_use]
    pub fn from(&self) -> String {
        day(self.validity.from.unsigned_abs())
    }

    /// The last day.
    #[must_use]
    pub fn until(&self) -> String {
        day(self.validity.until.unsigned_abs())
    }

    /// How many whole days are left; negative if it has expired.
    #[must_use]
    pub fn days_left(&self, now: i64) -> i64 {
        (self.validity.until - now).div_euclid(DAY_S)
    }

    /// Whether this key is that of the certificate.
    #[must_use]
    pub fn has_key(&self, key_pem: &str) -> bool {
        KeyPair::from_pem(key_pem).is_ok_and(|key| key.subject_public_key_info() == self.public_key)
    }
}

/// Every certificate of a PEM file.
///
/// # Errors
/// If there is none, or one cannot be read.
pub fn show(pem: &[u8]) -> Result<Vec<Shown>, Problem> {
    let bad = |what: &str| {
        Problem::input("certificate_file", format!("the file holds {what}"))
            .help("certificates are in PEM form: -----BEGIN CERTIFICATE----- and so on")
    };
    let mut all = Vec::new();
    for der in CertificateDer::pem_slice_iter(pem) {
        let der = der.map_err(|_| bad("a certificate that is cut or garbled"))?;
        let (_, certificate) =
            X509Certificate::from_der(&der).map_err(|_| bad("a certificate that cannot be read"))?;
        let names = certificate.subject_alternative_name().ok().flatten();
        let names =
            names.map(|names| names.value.general_names.iter().map(general).collect()).unwrap_or_default();
        let validity = certificate.validity();
        all.push(Shown {
            subject: certificate.subject().to_string(),
            names,
            issuer: certificate.issuer().to_string(),
            validity: Validity {
                from: validity.not_before.timestamp(),
                until: validity.not_after.timestamp(),
            },
            is_authority: certificate.is_ca(),
            serial: certificate.raw_serial_as_string(),
            public_key: certificate.public_key().raw.to_vec(),
        });
    }
    if all.is_empty() { Err(bad("no certificate")) } else { Ok(all) }
}

fn general(name: &GeneralName<'_>) -> String {
    match name {
        GeneralName::DNSName(name) => (*name).to_owned(),
        GeneralName::IPAddress(bytes) => match (<[u8; 4]>::try_from(*bytes), <[u8; 16]>::try_from(*bytes)) {
            (Ok(four), _) => IpAddr::from(four).to_string(),
            (_, Ok(six)) => IpAddr::from(six).to_string(),
            (Err(_), Err(_)) => name.to_string(),
        },
        GeneralName::OtherName(..)
        | GeneralName::RFC822Name(_)
        | GeneralName::X400Address(_)
        | GeneralName::DirectoryName(_)
        | GeneralName::EDIPartyName(_)
        | GeneralName::URI(_)
        | GeneralName::RegisteredID(_)
        | GeneralName::Invalid(..) => name.to_string(),
    }
}

/// A moment that can stand in a certificate.
fn moment(seconds: i64) -> Result<ASN1Time, Problem> {
    let time = ASN1Time::from_timestamp(seconds);
    // Years in certificates have four digits.
    time.ok().filter(|time| (1950..=9999).contains(&time.to_datetime().year())).ok_or_else(|| {
        Problem::input("bad_days", "so many days are beyond the calendar: certificates end in year 9999")
            .help("the usual is 3650 days for an authority, and 397 for a member")
    })
}

fn params(common_name: &str, validity: Validity) -> Result<CertificateParams, Problem> {
    let mut params = CertificateParams::default();
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common_name);
    params.distinguished_name = name;
    params.not_before = moment(validity.from)?.to_datetime();
    params.not_after = moment(validity.until)?.to_datetime();
    let mut serial = [0u8; 16];
    rustls::crypto::aws_lc_rs::default_provider()
        .secure_random
        .fill(&mut serial)
        .map_err(|_| Problem::environment("no_randomness", "the operating system gives no random numbers"))?;
    // A serial number is positive.
    serial[0] &= 0x7f;
    params.serial_number = Some(SerialNumber::from_slice(&serial));
    Ok(params)
}

fn named(what: &str, name: &str) -> Result<(), Problem> {
    if is_name(name) {
        return Ok(());
    }
    Err(Problem::input("bad_name", format!("`{name}` cannot be the name of a {what}"))
        .help("a name has lower-case letters, digits and hyphens (none at the ends), 63 at most"))
}

fn failed(error: &rcgen::Error) -> Problem {
    Problem::environment("certificate", format!("no certificate could be made: {error}"))
}

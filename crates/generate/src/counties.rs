//! The county names that end addresses in England and Wales.

/// Whether a part of an address is a county, in any case. A name that is also a post town, such as
/// Durham or Bristol, does not count.
pub(super) fn is_county(part: &str) -> bool {
    COUNTIES
        .iter()
        .any(|county| county.eq_ignore_ascii_case(part))
}

// One word a line would take hundreds of lines.
#[rustfmt::skip]
const COUNTIES: &[&str] = &[
    "Avon", "Bedfordshire", "Beds", "Berkshire", "Berks", "Blaenau Gwent",
    "Bridgend County Borough", "Buckinghamshire", "Bucks", "Cambridgeshire", "Cambs",
    "Carmarthenshire", "Ceredigion", "Cheshire", "Cheshire East", "Cheshire West and Chester",
    "Cleveland", "Clwyd", "Co Durham", "Co. Durham", "Cornwall", "County Durham", "Cumberland",
    "Cumbria", "Denbighshire", "Derbyshire", "Derbys", "Devon", "Dorset", "Dyfed",
    "East Riding of Yorkshire", "East Sussex", "E Sussex", "East Yorkshire", "Essex", "Flintshire",
    "Glamorgan", "Gloucestershire", "Glos", "Greater London", "Greater Manchester",
    "Gtr Manchester", "Gwent", "Gwynedd", "Hampshire", "Hants", "Herefordshire", "Hertfordshire",
    "Herts", "Humberside", "Huntingdonshire", "Isle of Anglesey", "Isle of Wight", "Kent",
    "Lancashire", "Lancs", "Leicestershire", "Leics", "Lincolnshire", "Lincs", "Merseyside",
    "Mid Glamorgan", "Middlesex", "Middx", "Monmouthshire", "Norfolk", "North East Lincolnshire",
    "North Humberside", "North Lincolnshire", "North Somerset", "North Yorkshire", "N Yorkshire",
    "Northamptonshire", "Northants", "Northumberland", "Nottinghamshire", "Notts", "Oxfordshire",
    "Oxon", "Pembrokeshire", "Powys", "Rutland", "Shropshire", "Somerset", "South Glamorgan",
    "South Gloucestershire", "South Humberside", "South Yorkshire", "S Yorkshire", "Staffordshire",
    "Staffs", "Suffolk", "Surrey", "Tyne & Wear", "Tyne and Wear", "Vale of Glamorgan",
    "Warwickshire", "Warks", "West Glamorgan", "West Midlands", "W Midlands", "West Sussex",
    "W Sussex", "West Yorkshire", "W Yorkshire", "Westmorland", "Wiltshire", "Wilts",
    "Worcestershire", "Worcs", "Yorkshire", "East London", "North London", "South London",
    "West London", "Tees Valley",
];

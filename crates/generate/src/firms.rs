//! Makes up the names of estate agents and conveyancers.

use super::random::{Random, mix};

/// The organisation name of the estate agent with this number; each number has its own name.
pub(super) fn agent_name(number: u64) -> String {
    let names = u64::try_from(AGENT_NAMES.len()).unwrap_or(1);
    // Each first name meets each second name before a pair repeats.
    let first = number % names;
    let round = number / names;
    let second = (first + 1 + round % (names - 1)) % names;
    let style = round / (names - 1);
    let (first, second) = (text_at(AGENT_NAMES, first), text_at(AGENT_NAMES, second));
    match style {
        0 => format!("{first} & {second}"),
        1 => format!("{first} {second} Estates"),
        2 => format!("{first} {second} Residential"),
        further => format!("{first} {second} Partners {further}"),
    }
}

/// Draws the name of a conveyancer: one of about 1,600.
pub(super) fn conveyancer_name(random: &mut Random) -> String {
    let first = random.pick(CONVEYANCER_NAMES).copied().unwrap_or_default();
    let second = random.pick(CONVEYANCER_NAMES).copied().unwrap_or_default();
    // The style follows from the pair, so a firm has the same name in each of its sales.
    let style = mix(name_number(first) * 31 + name_number(second)) % 4;
    if first == second {
        return format!("{first} Conveyancing");
    }
    match style {
        0 => format!("{first} {second} LLP"),
        1 => format!("{first} {second} Solicitors"),
        2 => format!("{first} & {second} Law"),
        _ => format!("{first} {second} Property Lawyers"),
    }
}

fn name_number(name: &str) -> u64 {
    name.bytes()
        .fold(7, |sum, byte| sum * 3 % 65_521 + u64::from(byte))
}

fn text_at(names: &[&'static str], position: u64) -> &'static str {
    usize::try_from(position)
        .ok()
        .and_then(|position| names.get(position))
        .copied()
        .unwrap_or_default()
}

/// Invented surnames of estate agents.
// One word a line would take hundreds of lines.
#[rustfmt::skip]
const AGENT_NAMES: &[&str] = &[
    "Abberfield", "Addersley", "Aldermoor", "Amblethorpe", "Applegarth", "Arkendale", "Ashcombe",
    "Barrowmere", "Beckworth", "Bellweather", "Birkendale", "Blakenhurst", "Bramwith",
    "Brindlecote", "Broadmere", "Burnthwaite", "Calderstone", "Carrowby", "Chalkridge", "Claverdon",
    "Coldharrow", "Corfield", "Crossmoor", "Dalesworth", "Darrowby", "Dunsmere", "Eastlow",
    "Elderwick", "Ellerholme", "Fairweather", "Farrowdale", "Fenwater", "Foxholt", "Garthwood",
    "Glenhollow", "Greystoke Hall", "Hallowdene", "Hartsmere", "Hawksworth", "Hazeldene",
    "Holmebrook", "Ivelcombe", "Kelderwick", "Kingsholt", "Langmere", "Larkhollow", "Linthwaite",
    "Lowther Vale", "Marlowe", "Meadowcroft", "Millhaven", "Mosswood", "Netherby", "Northcote",
    "Oakenshaw", "Otterbourne", "Pemberwick", "Quarrendon", "Ravenglass", "Redmayne", "Riversmead",
    "Rookhope", "Saltmarsh", "Sedgemere", "Silverdale", "Stonegarth", "Swinfold", "Tallentire",
    "Thornaby", "Underwood Vale", "Wainfleet", "Westerdale", "Whinfell", "Winterslow", "Wolfstone",
    "Wychbold", "Yarrowby", "Yewbarrow",
];

/// Invented surnames of conveyancers.
// One word a line would take hundreds of lines.
#[rustfmt::skip]
const CONVEYANCER_NAMES: &[&str] = &[
    "Aldwark", "Ardingham", "Bassenthorpe", "Birchover", "Brackendale", "Brockhollow", "Cawthorpe",
    "Clevebrook", "Crakehall", "Dentwater", "Easthope", "Embleton Grey", "Farndale", "Garsdale",
    "Grimsworth", "Halewick", "Hathersmere", "Helmsworth", "Inglemoor", "Kettlewood", "Kilnsey",
    "Lastingham", "Levenhulme Ward", "Maltby Stone", "Muckleford", "Nunwick", "Ormesby Vale",
    "Patterdale", "Pickhill", "Ramsgill", "Rosedene", "Scargill Moor", "Skelwith", "Snaizeholme",
    "Tarnbrook", "Thirlwater", "Ulverdale", "Wensley Marsh", "Wharfdene", "Yockenthwaite",
];

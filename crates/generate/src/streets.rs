//! The names of streets, buildings and houses for made-up addresses.

/// First words of street names.
// One word a line would take hundreds of lines.
#[rustfmt::skip]
pub(super) const STREET_NAMES: &[&str] = &[
    "Abbey", "Acorn", "Albany", "Albert", "Alder", "Alexandra", "Alma", "Amberley", "Apple Tree",
    "Archer", "Arden", "Ash", "Ashfield", "Aspen", "Avon", "Bakers", "Balmoral", "Bank", "Barley",
    "Barn", "Bath", "Beacon", "Beech", "Beechwood", "Bell", "Belmont", "Berkeley", "Birch",
    "Bishops", "Blackthorn", "Blenheim", "Bluebell", "Borough", "Bramble", "Bramley", "Briar",
    "Bridge", "Broad", "Brook", "Brookside", "Broom", "Brunswick", "Buckingham", "Burnside",
    "Buttercup", "Byron", "Cambridge", "Campion", "Canal", "Canterbury", "Carlton", "Castle",
    "Cathedral", "Cavendish", "Cedar", "Chapel", "Charles", "Chaucer", "Chatsworth", "Cherry",
    "Chestnut", "Church", "Claremont", "Clarence", "Clay", "Clifton", "Clover", "Coach House",
    "College", "Collingwood", "Common", "Coniston", "Copper Beech", "Coppice", "Coronation",
    "Corporation", "Cotswold", "Cranbourne", "Cricketers", "Cromwell", "Cross", "Crown",
    "Cumberland", "Cypress", "Daisy", "Dale", "Darwin", "Dean", "Derwent", "Devonshire", "Dove",
    "Drayton", "Duke", "Durham", "Eagle", "East", "Eden", "Edward", "Elgar", "Elizabeth", "Elm",
    "Ennerdale", "Essex", "Exeter", "Fairfield", "Falcon", "Farm", "Fern", "Ferry", "Field",
    "Finch", "Forest", "Forge", "Foundry", "Fountain", "Foxglove", "Garden", "George", "Gladstone",
    "Glebe", "Gloucester", "Goldcrest", "Gordon", "Grange", "Granville", "Grasmere", "Green",
    "Greenfield", "Grosvenor", "Hamilton", "Harbour", "Harcourt", "Hardy", "Harvest", "Hawthorn",
    "Hazel", "Heath", "Heather", "Henry", "Heron", "High", "Highfield", "Hill", "Hillside", "Holly",
    "Holme", "Honeysuckle", "Hope", "Horseshoe", "Hurst", "Ivy", "James", "Jasmine", "John",
    "Jubilee", "Juniper", "Keats", "Kensington", "Kestrel", "King", "Kingfisher", "Kings",
    "Kipling", "Laburnum", "Lake", "Lancaster", "Lansdowne", "Larch", "Lark", "Laurel", "Lavender",
    "Lawn", "Leicester", "Lilac", "Lime", "Lincoln", "Linden", "Lodge", "London", "Long", "Low",
    "Lower", "Magnolia", "Main", "Mallard", "Malvern", "Manor", "Maple", "Market", "Marlborough",
    "Marsh", "Mary", "Mayfield", "Mead", "Meadow", "Melbourne", "Mendip", "Middle", "Mill",
    "Milton", "Moor", "Mount", "Mulberry", "Nelson", "New", "Newton", "Nightingale", "Norfolk",
    "North", "Northfield", "Nursery", "Oak", "Oakfield", "Old Mill", "Orchard", "Osborne", "Oxford",
    "Paddock", "Palmerston", "Park", "Parkside", "Pasture", "Pear Tree", "Peel", "Pembroke", "Pine",
    "Plover", "Poplar", "Portland", "Primrose", "Princes", "Priory", "Prospect", "Pump", "Quarry",
    "Queen", "Queens", "Railway", "Ravens", "Rectory", "Redwood", "Regent", "Richmond", "Ridge",
    "River", "Riverside", "Robin", "Rose", "Rosemary", "Rowan", "Royal", "Ruskin", "Russell",
    "Rutland", "Salisbury", "Sandringham", "School", "Severn", "Seymour", "Shakespeare", "Shelley",
    "Silver", "Skylark", "Snowdrop", "Somerset", "South", "Southfield", "Spencer", "Spring",
    "Springfield", "Stafford", "Stanley", "Station", "Stratford", "Suffolk", "Summer", "Surrey",
    "Sussex", "Swallow", "Swan", "Sycamore", "Talbot", "Tavistock", "Teal", "Tennyson", "Thames",
    "Thistle", "Thorn", "Tower", "Trafalgar", "Trent", "Tudor", "Ullswater", "Union", "Upper",
    "Valley", "Vicarage", "Victoria", "Vine", "Wagtail", "Walnut", "Warren", "Warwick", "Water",
    "Watermill", "Waverley", "Well", "Wellington", "West", "Westfield", "Westminster", "Wharf",
    "Wheatsheaf", "White", "William", "Willow", "Windermere", "Windmill", "Windsor", "Wood",
    "Woodland", "Woodside", "Wordsworth", "Wren", "Yew Tree", "York",
];

/// Last words of street names.
// One word a line would take hundreds of lines.
#[rustfmt::skip]
pub(super) const STREET_TYPES: &[&str] = &[
    "Road", "Street", "Avenue", "Close", "Lane", "Drive", "Way", "Court", "Gardens", "Place",
    "Terrace", "Walk", "Rise", "Mews", "Grove", "Crescent",
];

/// Names of blocks of flats.
// One word a line would take hundreds of lines.
#[rustfmt::skip]
pub(super) const BUILDINGS: &[&str] = &[
    "Albion House", "Anchor House", "Ariel Court", "Astley House", "Barton House", "Beaumont Court",
    "Bellway House", "Brindley House", "Caxton House", "Century House", "Chandler House",
    "Compass Court", "Concord House", "Crane Wharf", "Cygnet House", "Dalton House", "Delta Point",
    "Domus Court", "Elder House", "Empire House", "Faraday Court", "Flax Mill", "Foundry Court",
    "Gainsborough House", "Gateway House", "Granary Wharf", "Hadley Court", "Harbour Point",
    "Hepworth Court", "Imperial Court", "Jacquard House", "Keystone Court", "Kiln House",
    "Lantern Court", "Linen House", "Lockside", "Malt House", "Mariner Court", "Meridian House",
    "Millstone Court", "Navigation House", "Nova Court", "Osprey House", "Pavilion Court",
    "Pegasus House", "Pioneer Court", "Quay House", "Quayside Court", "Ropewalk House",
    "Saxon Court", "Sentinel House", "Spinner House", "Sterling House", "Telford Court",
    "Tideway House", "Trinity Court", "Vantage Point", "Viaduct House", "Weaver House",
    "Windrush Court",
];

/// Names of houses that have no number.
// One word a line would take hundreds of lines.
#[rustfmt::skip]
pub(super) const HOUSE_NAMES: &[&str] = &[
    "Ash Cottage", "Bay Tree House", "Beech House", "Bramble Cottage", "Brook House",
    "Chestnut Lodge", "Church View", "Clematis Cottage", "Corner Cottage", "Dovecote House",
    "Fairview", "Fern Cottage", "Garden Cottage", "Greenacres", "Hawthorn House", "High Trees",
    "Hillcrest", "Hilltop", "Holly Cottage", "Honeysuckle Cottage", "Ivy Cottage", "Ivy House",
    "Jasmine Cottage", "Keepers Cottage", "Lavender Cottage", "Lilac Cottage", "Long Acre",
    "Meadow View", "Mill Cottage", "Oak House", "Oak Lodge", "Old Forge", "Orchard Cottage",
    "Orchard House", "Overdale", "Primrose Cottage", "Ridgeway House", "Rose Cottage", "Rose Villa",
    "Rosemary Cottage", "Rowan House", "Silver Birches", "Spring Cottage", "Sunnyside",
    "Sycamore House", "The Barn", "The Bungalow", "The Coach House", "The Cottage", "The Firs",
    "The Gables", "The Granary", "The Hollies", "The Laurels", "The Limes", "The Old Bakery",
    "The Old Chapel", "The Old Post Office", "The Old School House", "The Orchard", "The Paddocks",
    "The Poplars", "The Stables", "The Willows", "Thistledown", "Thornfield", "Tree Tops",
    "Valley View", "Wayside", "Well Cottage", "Westwood House", "White Cottage", "Willow Cottage",
    "Woodlands", "Woodside Cottage", "Yew Tree Cottage",
];

/// Names of new developments.
// One word a line would take hundreds of lines.
#[rustfmt::skip]
pub(super) const DEVELOPMENTS: &[&str] = &[
    "Alder Fields", "Bluebell Rise", "Brookfield Gate", "Cornfield Park", "Cuckoo Meadow",
    "Fallow Fields", "Foxley Grange", "Goldfinch Green", "Harvest Gate", "Hazelmere Park",
    "Kestrel View", "Lapwing Reach", "Larkfield", "Mallow Grange", "Millbrook Vale",
    "Nightingale Park", "Old Orchard Gate", "Partridge Walk", "Poppy Fields", "Saxon Reach",
    "Skylark Meadows", "Stonebridge Park", "Swallowfield Gate", "Teasel Park", "Thornbury Rise",
    "Whitethorn Grange",
];

/// Names of districts and villages that stand between a street and its post town.
// One word a line would take hundreds of lines.
#[rustfmt::skip]
pub(super) const LOCALITIES: &[&str] = &[
    "Ashby", "Barford", "Bourne End", "Bradwell", "Brookhouse", "Burnt Oak", "Church End",
    "Coldbrook", "Crossways", "Eastgate", "Fairlands", "Fulwood", "Goldthorn", "Greenhill",
    "Hadley", "Heath End", "Highgate Green", "Hollins", "Kingsmead", "Langley", "Lower Green",
    "Marshside", "Middleton", "Moorside", "Netherfield", "Newlands", "Northway", "Oakhill",
    "Overton", "Parkfields", "Quarry Bank", "Ravensmoor", "Sandhills", "Southbrook", "St Johns",
    "Thornhill", "Upper Green", "Weston", "Westbrook", "Woodthorpe",
];

//! The ways in which an address is mistyped, cut short and put in another order.

use crate::homes::Home;
use crate::random::Random;

/// Whether the home may still be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meant {
    /// The home, or none.
    This,
    /// No home at all: a number was changed, or left out.
    Nothing,
}

type Mutation = fn(&Home, &mut Random) -> Option<String>;

/// All mutations with their names. `None` where a home has nothing to mutate.
pub(crate) const MUTATIONS: &[(&str, Mutation, Meant)] = &[
    (
        "as it is",
        |home, _| Some(home.parts().join(", ")),
        Meant::This,
    ),
    (
        "lower case, no commas",
        |home, _| Some(home.parts().join(" ").to_lowercase()),
        Meant::This,
    ),
    (
        "no postcode",
        |home, _| Some(without(home, 1).join(", ")),
        Meant::This,
    ),
    ("no town", no_town, Meant::This),
    (
        "neither town nor postcode",
        |home, _| Some(home.lines().join(", ")),
        Meant::This,
    ),
    (
        "outcode only",
        |home, _| Some(format!("{} {}", home.lines().join(" "), outcode(home))),
        Meant::This,
    ),
    ("street and postcode", street_and_postcode, Meant::This),
    ("street and town", street_and_town, Meant::This),
    ("abbreviated", abbreviated, Meant::This),
    (
        "one typing error",
        |home, random| Some(typo(&home.parts().join(", "), random, 1)),
        Meant::This,
    ),
    (
        "two typing errors",
        |home, random| Some(typo(&home.parts().join(", "), random, 2)),
        Meant::This,
    ),
    (
        "typing error, no postcode",
        |home, random| Some(typo(&without(home, 1).join(", "), random, 1)),
        Meant::This,
    ),
    (
        "typing error, outcode only",
        |home, random| {
            Some(format!(
                "{}, {}",
                typo(&home.lines().join(", "), random, 1),
                outcode(home)
            ))
        },
        Meant::This,
    ),
    (
        "postcode glued",
        |home, _| {
            Some(format!(
                "{} {}",
                home.lines().join(" "),
                home.postcode.replace(' ', "").to_lowercase()
            ))
        },
        Meant::This,
    ),
    (
        "postcode first",
        |home, _| Some(format!("{} {}", home.postcode, without(home, 1).join(" "))),
        Meant::This,
    ),
    (
        "postcode in the middle",
        |home, _| {
            Some(format!(
                "{} {} {}",
                home.lines().join(" "),
                home.postcode,
                home.town
            ))
        },
        Meant::This,
    ),
    ("postcode misread", postcode_misread, Meant::This),
    ("postcode one letter wrong", postcode_wrong, Meant::This),
    ("parts in another order", shuffled, Meant::This),
    ("words swapped", words_swapped, Meant::This),
    ("number behind the street", number_behind, Meant::This),
    ("a space missing", space_missing, Meant::This),
    ("a space too many", space_added, Meant::This),
    ("a comma too many", comma_added, Meant::This),
    (
        "county added",
        |home, _| {
            Some(format!(
                "{}, {}, {}",
                without(home, 1).join(", "),
                home.county,
                home.postcode
            ))
        },
        Meant::This,
    ),
    (
        "county for the town",
        |home, _| Some(format!("{}, {}", home.lines().join(", "), home.county)),
        Meant::This,
    ),
    (
        "country added",
        |home, random| {
            Some(format!(
                "{}, {}",
                home.parts().join(", "),
                random.pick(&["UK", "England", "United Kingdom"])
            ))
        },
        Meant::This,
    ),
    (
        "town twice",
        |home, _| {
            Some(format!(
                "{}, {}, {}",
                without(home, 1).join(", "),
                home.town,
                home.postcode
            ))
        },
        Meant::This,
    ),
    (
        "organisation in front",
        |home, random| {
            Some(format!(
                "{}, {}",
                random.pick(&["Smith & Sons Ltd", "Boots", "Mr J Smith", "c/o The Agency"]),
                home.parts().join(", ")
            ))
        },
        Meant::This,
    ),
    ("house name left out", name_left_out, Meant::This),
    ("locality left out", locality_left_out, Meant::This),
    ("a word left out", word_left_out, Meant::This),
    ("kind of street left out", kind_left_out, Meant::This),
    ("another kind of street", other_kind, Meant::This),
    ("flat behind the street", flat_behind, Meant::This),
    (
        "flat as apt",
        |home, _| flat_as(home, "Apt ", " ")?.into(),
        Meant::This,
    ),
    (
        "flat glued",
        |home, _| flat_as(home, "Flat", ", ")?.into(),
        Meant::This,
    ),
    (
        "flat with a slash",
        |home, _| flat_as(home, "", "/")?.into(),
        Meant::This,
    ),
    (
        "flat without a word",
        |home, _| flat_as(home, "", ", ")?.into(),
        Meant::This,
    ),
    (
        "flat with no",
        |home, _| flat_as(home, "Flat No. ", ", ")?.into(),
        Meant::This,
    ),
    ("letter apart", letter_apart, Meant::This),
    ("letter as a flat", letter_as_flat, Meant::This),
    (
        "range spelled out",
        |home, _| {
            home.number
                .contains('-')
                .then(|| home.parts().join(", ").replacen('-', " to ", 1))
        },
        Meant::This,
    ),
    (
        "number with no",
        |home, _| {
            (home.flat.is_empty() && !home.number.is_empty())
                .then(|| format!("No. {}", home.parts().join(", ")))
        },
        Meant::This,
    ),
    ("number glued to the street", number_glued, Meant::This),
    ("NOT another number", other_number, Meant::Nothing),
    (
        "NOT another number, no postcode",
        other_number_no_postcode,
        Meant::Nothing,
    ),
    ("NOT a number more", number_more, Meant::Nothing),
    ("NOT another flat", other_flat, Meant::Nothing),
    ("NOT another letter", other_letter, Meant::Nothing),
    ("NOT the number left out", number_left_out, Meant::Nothing),
    ("NOT the flat left out", flat_left_out, Meant::Nothing),
    ("NOT a flat of a house", flat_of_house, Meant::Nothing),
    ("NOT unclear", unclear, Meant::Nothing),
    ("NOT another town", other_town, Meant::Nothing),
    ("NOT another district", other_district, Meant::Nothing),
    ("NOT another name", other_name, Meant::Nothing),
    ("NOT another street", other_street, Meant::Nothing),
];

fn without(home: &Home, last: usize) -> Vec<String> {
    let mut parts = home.parts();
    parts.truncate(parts.len() - last);
    parts
}

fn outcode(home: &Home) -> &str {
    home.postcode.split(' ').next().unwrap_or_default()
}

fn no_town(home: &Home, _: &mut Random) -> Option<String> {
    Some(format!("{}, {}", home.lines().join(", "), home.postcode))
}

fn without_locality(home: &Home) -> Home {
    Home {
        locality: "",
        ..home.clone()
    }
}

fn street_and_postcode(home: &Home, _: &mut Random) -> Option<String> {
    Some(format!(
        "{} {}",
        without_locality(home).lines().join(" "),
        home.postcode
    ))
}

fn street_and_town(home: &Home, _: &mut Random) -> Option<String> {
    Some(format!(
        "{} {}",
        without_locality(home).lines().join(" "),
        home.town
    ))
}

fn abbreviated(home: &Home, _: &mut Random) -> Option<String> {
    let mut text = home.parts().join(", ");
    for (long, short) in [
        ("Street", "St"),
        ("Road", "Rd"),
        ("Avenue", "Ave"),
        ("Lane", "Ln"),
        ("Close", "Cl"),
        ("Drive", "Dr"),
        ("Gardens", "Gdns"),
        ("Terrace", "Terr"),
        ("Crescent", "Cres."),
        ("House", "Hse"),
        ("Apartment", "Apt"),
        ("Court", "Ct"),
        ("'", ""),
    ] {
        text = text.replace(long, short);
    }
    Some(text)
}

/// Typing errors in words of four letters and more, never in a number or a postcode.
fn typo(text: &str, random: &mut Random, count: usize) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let long = |word: &String| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        letters >= 4 && !word.contains(|c: char| c.is_ascii_digit())
    };
    let mut places: Vec<usize> = (0..words.len()).filter(|at| long(&words[*at])).collect();
    for _ in 0..count {
        if places.is_empty() {
            break;
        }
        let place = places.swap_remove(random.below(places.len()));
        words[place] = typo_in(&words[place], random);
    }
    words.join(" ")
}

fn typo_in(word: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let end = letters.iter().rposition(|c| c.is_alphabetic()).unwrap_or(0);
    let at = random.below(end.max(1));
    let drawn = char::from(b'a' + u8::try_from(random.below(26)).unwrap_or(0));
    match random.below(5) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, letters[at]),
        2 => letters.swap(at, at + 1),
        3 => letters[at] = drawn,
        _ => letters.insert(at, drawn),
    }
    letters.into_iter().collect()
}

fn postcode_misread(home: &Home, _: &mut Random) -> Option<String> {
    let misread = home.postcode.replace('0', "O").replacen('1', "I", 1);
    (misread != home.postcode).then(|| format!("{}, {misread}", without(home, 1).join(", ")))
}

fn postcode_wrong(home: &Home, random: &mut Random) -> Option<String> {
    let letters = ["C", "W", "X", "Y", "Z"];
    let mut postcode = home.postcode.clone();
    postcode.pop();
    postcode.push_str(*random.pick(&letters));
    Some(format!("{}, {postcode}", without(home, 1).join(", ")))
}

fn shuffled(home: &Home, random: &mut Random) -> Option<String> {
    let mut parts = home.parts();
    let at = random.below(parts.len());
    let part = parts.remove(at);
    parts.insert(random.below(parts.len() + 1), part);
    // A flat's number between other numbers is another address.
    (home.flat.is_empty()).then(|| parts.join(", "))
}

fn words_swapped(home: &Home, random: &mut Random) -> Option<String> {
    let mut words: Vec<String> = without(home, 1)
        .join(" ")
        .split(' ')
        .map(str::to_owned)
        .collect();
    let is_word = |word: &String| !word.contains(|c: char| c.is_ascii_digit()) && word.len() > 1;
    let pairs: Vec<usize> = (0..words.len() - 1)
        .filter(|at| is_word(&words[*at]) && is_word(&words[at + 1]))
        .filter(|at| !["Flat", "Apartment", "Unit", "Floor"].contains(&words[at + 1].as_str()))
        .filter(|at| words[*at] != "Floor")
        .collect();
    let at = *pairs.get(random.below(pairs.len()))?;
    words.swap(at, at + 1);
    Some(format!("{}, {}", words.join(" "), home.postcode))
}

fn number_behind(home: &Home, _: &mut Random) -> Option<String> {
    let is_plain = home.flat.is_empty() && home.name.is_empty() && !home.number.is_empty();
    is_plain.then(|| {
        format!(
            "{} {}, {}, {}",
            home.street, home.number, home.town, home.postcode
        )
    })
}

fn space_missing(home: &Home, random: &mut Random) -> Option<String> {
    let text = home.parts().join(" ");
    let characters: Vec<char> = text.chars().collect();
    let is_letter = |at: usize| characters.get(at).is_some_and(|c| c.is_alphabetic());
    let spaces: Vec<usize> = (1..characters.len())
        .filter(|at| characters[*at] == ' ' && is_letter(at - 1) && is_letter(at + 1))
        .collect();
    let at = *spaces.get(random.below(spaces.len()))?;
    Some(
        characters
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != at)
            .map(|(_, c)| *c)
            .collect(),
    )
}

fn space_added(home: &Home, random: &mut Random) -> Option<String> {
    let text = without(home, 1).join(", ");
    let mut characters: Vec<char> = text.chars().collect();
    let is_letter = |at: usize| characters.get(at).is_some_and(|c| c.is_alphabetic());
    let inside: Vec<usize> = (2..characters.len().saturating_sub(1))
        .filter(|at| (at - 2..at + 2).all(is_letter))
        .collect();
    let at = *inside.get(random.below(inside.len()))?;
    characters.insert(at, ' ');
    Some(format!(
        "{}, {}",
        characters.into_iter().collect::<String>(),
        home.postcode
    ))
}

fn comma_added(home: &Home, _: &mut Random) -> Option<String> {
    let plain = !home.number.is_empty();
    plain.then(|| {
        home.parts()
            .join(", ")
            .replace(&format!("{} ", home.number), &format!("{}, ", home.number))
    })
}

fn name_left_out(home: &Home, _: &mut Random) -> Option<String> {
    let has = !home.name.is_empty() && !home.number.is_empty();
    has.then(|| {
        Home {
            name: String::new(),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn locality_left_out(home: &Home, _: &mut Random) -> Option<String> {
    (!home.locality.is_empty()).then(|| without_locality(home).parts().join(", "))
}

fn word_left_out(home: &Home, random: &mut Random) -> Option<String> {
    let mut words: Vec<String> = without(home, 1)
        .join(" ")
        .split(' ')
        .map(str::to_owned)
        .collect();
    let is_word = |word: &String| !word.contains(|c: char| c.is_ascii_digit()) && word.len() > 1;
    let places: Vec<usize> = (0..words.len()).filter(|at| is_word(&words[*at])).collect();
    words.remove(*places.get(random.below(places.len()))?);
    Some(format!("{}, {}", words.join(" "), home.postcode))
}

fn kind_left_out(home: &Home, _: &mut Random) -> Option<String> {
    let (street, _) = home
        .street
        .rsplit_once(' ')
        .filter(|_| !home.number.is_empty())?;
    (street != "The").then(|| {
        Home {
            street: street.to_owned(),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn other_kind(home: &Home, _: &mut Random) -> Option<String> {
    let (street, _) = home
        .street
        .rsplit_once(' ')
        .filter(|_| !home.number.is_empty())?;
    (street != "The").then(|| {
        Home {
            street: format!("{street} Parade"),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn numbered_flat(home: &Home) -> bool {
    !home.flat.is_empty() && home.marker != "Floor" && home.marker != "Unit"
}

fn flat_behind(home: &Home, _: &mut Random) -> Option<String> {
    let building = Home {
        flat: String::new(),
        marker: "",
        ..home.clone()
    };
    let mut lines = building.lines();
    (numbered_flat(home) && !home.number.is_empty()).then(|| {
        lines.push(format!("{} {}", home.marker, home.flat));
        format!("{}, {}, {}", lines.join(", "), home.town, home.postcode)
    })
}

fn flat_as(home: &Home, before: &str, after: &str) -> Option<String> {
    let building = Home {
        flat: String::new(),
        marker: "",
        ..home.clone()
    };
    let is_numbered = numbered_flat(home) && (!home.number.is_empty() || after != "/");
    let is_close = after != "/" || home.name.is_empty();
    (is_numbered && is_close).then(|| {
        format!(
            "{before}{}{after}{}",
            home.flat,
            building.parts().join(", ")
        )
    })
}

fn lettered(home: &Home) -> Option<(&str, &str)> {
    let at = home.number.find(|c: char| c.is_ascii_alphabetic())?;
    home.flat.is_empty().then(|| home.number.split_at(at))
}

fn letter_apart(home: &Home, _: &mut Random) -> Option<String> {
    let (number, letter) = lettered(home)?;
    Some(
        Home {
            number: format!("{number} {}", letter.to_lowercase()),
            ..home.clone()
        }
        .parts()
        .join(", "),
    )
}

fn letter_as_flat(home: &Home, _: &mut Random) -> Option<String> {
    let (number, letter) = lettered(home).filter(|_| home.name.is_empty())?;
    let building = Home {
        number: number.to_owned(),
        ..home.clone()
    };
    Some(format!("Flat {letter}, {}", building.parts().join(", ")))
}

fn number_glued(home: &Home, _: &mut Random) -> Option<String> {
    let is_plain = home.flat.is_empty()
        && !home.number.is_empty()
        && !home.number.contains(char::is_alphabetic);
    is_plain.then(|| {
        home.parts()
            .join(", ")
            .replace(&format!("{} ", home.number), &home.number)
    })
}

fn other_number(home: &Home, random: &mut Random) -> Option<String> {
    let number = (200 + random.below(700)).to_string();
    (!home.number.is_empty()).then(|| {
        Home {
            number,
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn other_number_no_postcode(home: &Home, random: &mut Random) -> Option<String> {
    let number = (200 + random.below(700)).to_string();
    (!home.number.is_empty()).then(|| {
        without(
            &Home {
                number,
                ..home.clone()
            },
            1,
        )
        .join(", ")
    })
}

fn number_more(home: &Home, random: &mut Random) -> Option<String> {
    let more = 200 + random.below(700);
    Some(format!("{more} {}", home.parts().join(", ")))
}

fn other_flat(home: &Home, random: &mut Random) -> Option<String> {
    let flat = (200 + random.below(700)).to_string();
    numbered_flat(home).then(|| {
        Home {
            flat,
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn other_letter(home: &Home, random: &mut Random) -> Option<String> {
    let digits: String = home
        .number
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let number = format!("{digits}{}", random.pick(&["C", "D", "K", "Z"]));
    (home.flat.is_empty() && !digits.is_empty()).then(|| {
        Home {
            number,
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn number_left_out(home: &Home, _: &mut Random) -> Option<String> {
    let is_plain = home.name.is_empty() && !home.number.is_empty();
    is_plain.then(|| {
        Home {
            number: String::new(),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn flat_left_out(home: &Home, _: &mut Random) -> Option<String> {
    (!home.flat.is_empty()).then(|| {
        Home {
            flat: String::new(),
            marker: "",
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn flat_of_house(home: &Home, random: &mut Random) -> Option<String> {
    let flat = (100 + random.below(300)).to_string();
    home.flat.is_empty().then(|| {
        Home {
            flat,
            marker: "Flat",
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn unclear(home: &Home, random: &mut Random) -> Option<String> {
    let part = random.pick(&["12-14-16", "7½", "3b2", "4BG", "1/2/3", "0x7f", "٣"]);
    Some(format!("{part} {}", home.parts().join(", ")))
}

fn other_town(home: &Home, _: &mut Random) -> Option<String> {
    let is_plain = !home.number.is_empty();
    is_plain.then(|| format!("{}, Scunthorpe", home.lines().join(", ")))
}

fn other_district(home: &Home, _: &mut Random) -> Option<String> {
    Some(format!("{}, ZE2 9TH", without(home, 1).join(", ")))
}

fn other_name(home: &Home, _: &mut Random) -> Option<String> {
    (!home.name.is_empty()).then(|| {
        Home {
            name: "Quince Villa".to_owned(),
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

fn other_street(home: &Home, random: &mut Random) -> Option<String> {
    let street = (*random.pick(&["Zinnia Road", "Quarry Bank", "Xylophone Mews"])).to_owned();
    let is_numbered = !home.number.is_empty();
    is_numbered.then(|| {
        Home {
            street,
            ..home.clone()
        }
        .parts()
        .join(", ")
    })
}

//! Ways to type an address that lead to the home that is meant (S-7).

use address::Decision;

use crate::decide::check;

const OTHER_WORDS: &str = "
12 High Street | 12highst leeds
12 High Street | 12 highstreet leeds ls1 4ap
12 High Street | twelve high street leeds ls1 4ap
One Tower Wharf | 1 tower wharf ls1 4ap
12A High Street | 12(a) high street ls1 4ap
12-14 High Street | 12_14 high street leeds
Flat 3, 20 Park Road | f3, 20 park road ls1 4ap
Flat 3, 20 Park Road | flat: 3, 20 park road ls1 4ap
Flat 3, 20 Park Road | studio flat 3, 20 park road ls1 4ap
Flat 3, 20 Park Road | falt 3 20 park road ls1 4ap
Flat 3, 20 Park Road | appartment 3 20 park road ls1 4ap
Flat 6/22 Park Road | flat 6 22 park road ls1 4ap
Flat 2, 14 High Street | flat two 14 high st ls1 4ap
Albion House, Flat 8, Park Road | flat 8 albion house ls1 4ap
12 Park Road | rose cottage, 12 park road ls1 4ap
Studio, 20 Park Road | studio flat 20 park road ls1 4ap
Penthouse, 20 Park Road | penthouse apartment 20 park road ls1 4ap
Ground Floor Flat, 20 Park Road | gf flat, 20 park road ls1 4ap
Ground Floor Flat, 20 Park Road | ground-floor flat 20 park road ls1 4ap
Ground Floor Flat, 20 Park Road | groundfloor flat 20 park road ls1 4ap
First Floor Flat, 20 Park Road | fisrt floor flat 20 park road ls1 4ap
Flat 3, Block 2, Mill Wharf | block 2 flat 3 mill wharf ls1 4ap
B1, 39 Park Road | flat b1 39 park road ls1 4ap
A, 14 Park Road | 14a park road ls1 4ap
A, 14 Park Road | flat a 14 park road ls1 4ap
3 Mill Lane | house 3 mill lane leeds ls1 4ap
Villa 3, Mill Wharf | villa no 3 mill wharf ls1 4ap
Villa 3, Mill Wharf | villa number 3, mill wharf ls1 4ap
# The name of a house that was not typed is no flat.
Victoria Garage, 14 High Street | 14 high st ls1 4ap
Rose Cottage, 14 High Street | 14 high st ls1 4ap
";

const SHORT_FORMS_AND_PERSONS: &str = "
7 Oak Drive | 7 oak dve leeds w yorks
7 Oak Drive | 7 oak dv leeds w. yorkshire ls1 4ap
7 Oak Crescent | 7 oak crsnt leeds
7 Oak Cottages | 7 oak cotts leeds ls1 4ap
7 Oak Road North | 7 oak rd n leeds
7 Oak Drive | 7 oak drive leeds ls1 4ap great britain
7 Oak Drive | 7 oak drive leeds ls1 lap
The Old Rectory, Church Lane | mr j smith the old rectory church lane ls1 4ap
The Old Rectory, Church Lane | c/o smith, the old rectory, church lane, ls1 4ap
Sea View, Church Lane | seaview church lane ls1 4ap
Oak Tree House, Church Lane | oaktree house church lane ls1 4ap
";

const TYPING_ERRORS: &str = "
12 Granville Road | 12 grannville road leeds
12 Walton Road | 12 wlaton road leeds
12 Wellington Road | 12 wellingotn road leeds
12 Brooklands Road | 12 broklands road leeds
12 Harehills Road | 12 harehhills road leeds
12 Hampton Road | 12 hamptpn road leeds
";

#[test]
fn an_address_may_be_typed_in_other_words() {
    check(OTHER_WORDS, Decision::One(0));
    check(SHORT_FORMS_AND_PERSONS, Decision::One(0));
    check(TYPING_ERRORS, Decision::One(0));
}

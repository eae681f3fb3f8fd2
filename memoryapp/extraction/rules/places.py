"""Place names that are certain enough to decide what "moved from A to B" means. Short on purpose: an unknown name stays
unknown."""

from memoryapp.extraction.rules.patterns import words

_KNOWN = words(
    "afghanistan albania algeria argentina armenia australia austria azerbaijan bangladesh belgium"
    " bolivia brazil bulgaria cambodia cameroon canada chile china colombia croatia cuba cyprus"
    " denmark ecuador egypt england estonia ethiopia finland france georgia germany ghana greece"
    " guatemala hungary iceland india indonesia iran iraq ireland israel italy jamaica japan jordan"
    " kazakhstan kenya korea kuwait latvia lebanon lithuania luxembourg malaysia malta mexico"
    " moldova mongolia montenegro morocco nepal netherlands nigeria norway pakistan panama paraguay"
    " peru philippines poland portugal qatar romania russia scotland senegal serbia singapore"
    " slovakia slovenia spain sweden switzerland syria taiwan tanzania thailand tunisia turkey"
    " uganda ukraine uruguay venezuela vietnam wales zambia zimbabwe uk usa europe asia africa"
    " alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho"
    " illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan"
    " minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania"
    " tennessee texas utah vermont virginia wisconsin wyoming amsterdam ankara antwerp athens"
    " atlanta auckland austin baghdad bangkok barcelona basel beijing belfast belgrade bergen berlin"
    " berne bilbao birmingham bogota bologna bordeaux boston bratislava bremen bristol brisbane"
    " brussels bucharest budapest cairo calgary cambridge canberra cardiff chicago cologne"
    " copenhagen cork dallas delhi denver detroit dhaka dresden dubai dublin edinburgh florence"
    " frankfurt galway geneva genoa ghent glasgow gothenburg graz hamburg hanoi helsinki houston"
    " innsbruck istanbul jakarta jerusalem johannesburg karachi kathmandu krakow kyiv kyoto lagos"
    " leeds leipzig lima lisbon liverpool ljubljana london lyon madrid malaga malmo manchester"
    " manila marseille melbourne memphis miami milan minsk montreal moscow mumbai munich nairobi"
    " naples nantes nice oakland osaka oslo oxford palermo paris perth philadelphia phoenix"
    " pittsburgh portland porto prague quebec reykjavik riga rome rotterdam salzburg santiago"
    " sarajevo seattle seoul seville shanghai sofia stockholm strasbourg stuttgart sydney tallinn"
    " tbilisi tehran tokyo toronto toulouse trieste trondheim turin utrecht valencia vancouver"
    " venice vienna vilnius warsaw wellington york zagreb zurich"
) | frozenset(
    (
        "new york",
        "los angeles",
        "san francisco",
        "san diego",
        "new zealand",
        "south africa",
        "south korea",
        "czech republic",
        "saudi arabia",
        "sri lanka",
        "costa rica",
        "hong kong",
        "buenos aires",
        "cape town",
        "kuala lumpur",
        "las vegas",
        "mexico city",
        "new delhi",
        "rio de janeiro",
        "sao paulo",
        "st petersburg",
        "tel aviv",
        "the hague",
        "united kingdom",
        "united states",
        "new jersey",
        "new mexico",
        "north carolina",
        "south carolina",
        "west virginia",
        "rhode island",
        "new hampshire",
        "north dakota",
        "south dakota",
        "new orleans",
        "salt lake city",
    )
)


def known(name: str) -> bool:
    """Whether a name is one of the places everybody knows."""
    return name.casefold().removeprefix("the ") in _KNOWN

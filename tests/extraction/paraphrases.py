"""Pairs of sentences that say one thing and later its change, written after the rules were finished and never used to
write them. A pair is hit when both are found and share one slot, so that the memory can doubt."""

PAIRS: tuple[tuple[str, str], ...] = (
    # how often to report
    ("I'd like to hear the status by email once a week.", "A summary each month is enough for me these days."),
    (
        "Could you mail me a status overview every Friday?",
        "I think a monthly wrap-up would be sufficient from here on.",
    ),
    ("Please put together a weekly status mail for me.", "You can cut that down, one summary per month will do."),
    ("A weekly progress note by mail would be lovely.", "I only want the monthly summary now."),
    ("I want to be emailed about the project status weekly.", "Once a month is plenty for those status emails."),
    ("Every Monday I'd like a short status report in my inbox.", "Just a monthly report, please."),
    ("Let me have a status email at the end of every week.", "Monthly summaries are all I need now."),
    ("I prefer a weekly email on where things stand.", "I'd prefer just a monthly digest now."),
    ("Drop me a status line each week, please.", "From this month a monthly recap is good enough."),
    ("We'd like weekly reports from you.", "We'd rather have monthly reports now."),
    ("Please keep sending the weekly update.", "Let's go down to a monthly update."),
    ("It helps me to get status emails every week.", "Status emails every week are too much, make them monthly."),
    ("Weekly status reports suit me well.", "Quarterly reports would suit me better."),
    ("I'm expecting a daily digest of the orders.", "I no longer need a daily digest, weekly is fine."),
    ("My wish is a weekly bulletin.", "My preference now is a monthly bulletin."),
    ("Send the figures to me every morning.", "Sending the figures once a week is enough."),
    # where to deliver
    ("Please have all parcels delivered to Tarn Street 4.", "My deliveries should go to Quay 9 from now on."),
    ("Ship everything to the Osprey depot.", "Please ship everything to the Heron depot instead."),
    ("My delivery address is 12 Mill Lane.", "Deliveries go to 3 Harbour Road now."),
    ("Send the packages to my office.", "From July on, send the packages to my home."),
    # seats
    ("I always want an aisle seat.", "These days I prefer a window seat."),
    ("Please book me window seats.", "I'd rather sit on the aisle now."),
    ("A window seat, please, whenever you book.", "I've changed my mind, I want aisle seats."),
    # food
    ("I'm a vegetarian.", "I eat meat again."),
    ("I love pickles.", "I can't stand pickles any more."),
    ("I hate olives.", "I've come to love olives."),
    ("I don't drink coffee.", "I drink coffee again."),
    ("I like my tea without sugar.", "I take sugar in my tea now."),
    ("I'm fond of rye bread.", "I'm sick of rye bread."),
    # language and length
    ("Please answer me in English.", "From now on, answer me in Portuguese."),
    ("Write to me in German.", "I'd prefer you wrote to me in French."),
    ("Keep your answers brief.", "I'd like more detailed answers."),
    ("I prefer long explanations.", "Short explanations are enough for me now."),
    ("Be formal with me, please.", "You can be more casual with me."),
    # meetings
    ("Early meetings suit me best.", "I prefer afternoon meetings now."),
    ("No meetings on Fridays, please.", "Fridays are fine for meetings again."),
    ("The planning meeting is at 10.", "The planning meeting has moved to 11."),
    ("Please schedule my calls in the morning.", "Please schedule my calls after lunch from now on."),
    # how to reach me
    ("Call me rather than emailing.", "I'd rather be emailed than called."),
    ("The best way to reach me is by text.", "Email is the easiest way to contact me."),
    ("Please contact me by phone.", "Please contact me by email from now on."),
    # naming, settings
    ("Call me Ms Ferro.", "Call me Ines."),
    ("I'd like dark mode.", "I prefer light mode now."),
    ("Use miles, please.", "Please switch to kilometres."),
    ("I want prices in dollars.", "Show prices in euros from now on."),
    ("Please send documents as PDF.", "I'd rather get documents as Word files."),
    # facts with one value
    ("I live in Cork.", "I've moved to Galway."),
    ("I work for Quillworks.", "I've joined Heron Freight."),
    ("My number is 555 0100 10.", "My new number is 555 0100 20."),
    ("My boss is Mira Oduya.", "My new boss is Ivo Lasker."),
    ("Orlin runs Pelican.", "Ysolde runs Pelican now."),
)

"""What happened and when: episodes, who took part, what was learned from them."""

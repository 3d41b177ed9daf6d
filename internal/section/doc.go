package section

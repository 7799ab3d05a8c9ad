# flyball_generate_api() comes with the generator.

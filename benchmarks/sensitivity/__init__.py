"""Does the suite notice that torch's compiler was changed, does it name the place, and is it calm otherwise?"""

"""Does the suite notice when torch's compiler is changed, and does it name the place? And does it stay calm otherwise?"""

def damage(stage): pass
def small_caches(stage): pass
def s3(stage): pass

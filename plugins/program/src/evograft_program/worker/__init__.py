"""What runs inside the sandbox: an archive of the standard library's means alone, for any Python from 3.9.

The rest of the plugin packs this folder and sends it into sessions; of it, it imports what both sides agree on.
"""

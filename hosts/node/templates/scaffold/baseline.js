'use strict';
// The function as it was before Rust: tier 0.

/** A mistake of the caller, whose message may be shown. */
class SlugError extends Error {}

/** Lower-case letters and digits; a run of anything else becomes one `-`, none at the ends. */
function slugify(text) {
  const slug = text.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '');
  if (slug === '') throw new SlugError('text has no letters or digits');
  return slug.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

module.exports = Object.assign(slugify, { SlugError });

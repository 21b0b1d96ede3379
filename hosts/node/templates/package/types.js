// Made by tierup from the signatures in your crate; changes here are lost at the next build.
//
// Checks, writes and reads the values of each type in the encoding of `wire.js`, and lists the functions.
'use strict';

{{ imports }}{{ types }}const functions = [
{%- for function in functions %}
  {
    name: {{ function.name }},
    arity: {{ function.arguments.len() }},
    direct: {{ function.is_direct }},
    isRaw: {{ function.is_raw }},
    pure: {{ function.is_pure }},
    {%- if function.arguments.is_empty() %}
    writeArguments() {},
    {%- else %}
    writeArguments(to, args) {
      let place = '';
      try {
      {%- for argument in function.arguments %}
        place = {{ argument.place }};
        {{ argument.write }};
      {%- endfor %}
      } catch (error) {
        throw refusal(place, error);
      }
    },
    {%- endif %}
    {%- if function.arguments.is_empty() %}
    readArguments: () => [],
    {%- else if function.arguments.len() <= 4 %}
    readArguments: (from) => [
      {%- for argument in function.arguments %}{{ argument.read }}{% if !loop.last %}, {% endif %}{% endfor -%}
    ],
    {%- else %}
    readArguments: (from) => [
      {%- for argument in function.arguments %}
      {{ argument.read }},
      {%- endfor %}
    ],
    {%- endif %}
    {%- match function.write_output %}
    {%- when Some with (write) %}
    writeOutput: (to, value) => {{ write }},
    {%- when None %}
    writeOutput: () => {},
    {%- endmatch %}
    {%- match function.read_output %}
    {%- when Some with (read) %}
    readOutput: (from) => {{ read }},
    {%- when None %}
    readOutput: () => undefined,
    {%- endmatch %}
    {%- if let Some(convert) = function.convert_maps %}
    convertMaps: {{ convert }},
    {%- endif %}
    {%- if function.is_direct && function.arguments.is_empty() %}
    prepare: () => [],
    {%- else if function.is_direct %}
    prepare(args) {
      let place = '';
      const prepared = [];
      try {
      {%- for argument in function.arguments %}
        place = {{ argument.place }};
        prepared.push({{ argument.check }});
      {%- endfor %}
      } catch (error) {
        throw refusal(place, error);
      }
      return prepared;
    },
    {%- endif %}
  },
{%- endfor %}
];

module.exports = {
  packageName: {{ package }},
  /** The hash of the interface. Files that were built for another one are not called. */
  abi: '{{ abi }}',
  functions,
  {%- if !alternatives.is_empty() %}
  /** The keys of [function.alternatives] in tierup.toml. */
  alternatives: [{{ alternatives }}],
  {%- endif %}
  /** The golden call of [health] in tierup.toml. */
  {%- match health %}
  {%- when Some with (health) %}
  health: {
    function: {{ health.function }},
    arguments: '{{ health.arguments }}',
    sha256: [{{ health.sha256 }}],
  },
  {%- when None %}
  health: null,
  {%- endmatch %}
};

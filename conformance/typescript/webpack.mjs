// What `tsc` made of packages/api, as one file of webpack whose map leads to the TypeScript.

import webpack from 'webpack';

const options = {
    mode: 'production',
    // NestJS does not minimize either, and `init` finds a function by its name.
    optimization: { minimize: false },
    target: 'node20',
    devtool: 'source-map',
    entry: './packages/api/dist/server.js',
    module: { rules: [{ test: /\.js$/, extractSourceMap: true }] },
    experiments: { outputModule: true },
    externals: { 'price-basket': 'module price-basket' },
    output: { path: `${import.meta.dirname}/dist`, filename: 'webpack.js', module: true },
};
webpack(options, (error, stats) => {
    if (error ?? stats.hasErrors()) {
        throw error ?? new Error(stats.toString());
    }
});

// Made by tierup; the same in every package.
//
// How many processes can use this process's share of the processors.
'use strict';

const fs = require('node:fs');
const os = require('node:os');

/** The processors that this process may use, limited by a container's quota, which Node ignores. */
function parallelism() {
  const available = os.availableParallelism ? os.availableParallelism() : os.cpus().length;
  return Math.max(1, Math.min(available, Math.ceil(quota())));
}

/** The smallest quota of this process's control groups, in processors; Infinity if there is none. */
function quota() {
  let smallest = Infinity;
  for (const line of read('/proc/self/cgroup').split('\n')) {
    const [, controllers, path] = line.match(/^\d+:([^:]*):(.*)$/) ?? [];
    if (path === undefined) continue;
    // The quotas of the groups above count too. Inside a container the path may be the host's: then only `/` exists.
    for (let group = path; ; group = group.slice(0, group.lastIndexOf('/'))) {
      if (controllers === '') smallest = Math.min(smallest, quotaOfVersion2(`/sys/fs/cgroup${group}`));
      if (controllers.split(',').includes('cpu')) {
        smallest = Math.min(smallest, quotaOfVersion1(`/sys/fs/cgroup/${controllers}${group}`));
      }
      if (group === '' || group === '/') break;
    }
  }
  return smallest;
}

function quotaOfVersion2(folder) {
  const [quota, period] = read(`${folder}/cpu.max`).trim().split(' ').map(Number);
  return quota > 0 && period > 0 ? quota / period : Infinity;
}

function quotaOfVersion1(folder) {
  const quota = Number(read(`${folder}/cpu.cfs_quota_us`));
  const period = Number(read(`${folder}/cpu.cfs_period_us`));
  return quota > 0 && period > 0 ? quota / period : Infinity;
}

function read(path) {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

module.exports = { parallelism };

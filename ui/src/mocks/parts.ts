// The small pieces that scenarios are made of: whole values with plain defaults.

import type { BundleDisk } from '../bindings/BundleDisk';
import type { BundleView } from '../bindings/BundleView';
import type { ForecastView } from '../bindings/ForecastView';
import type { GaugeStatus } from '../bindings/GaugeStatus';
import type { MeterStatus } from '../bindings/MeterStatus';
import type { SettingsView } from '../bindings/SettingsView';
import type { Status } from '../bindings/Status';
import type { TempRootView } from '../bindings/TempRootView';

/** The moment all scenarios play at, so that two pictures of one state are equal. */
export const NOW = Date.UTC(2026, 10, 29, 13, 12) / 1000;
export const HOUR = 3600;
export const DAY = 86_400;
export const GB = 1_000_000_000;
export const MB = 1_000_000;

export const nothingKnown: ForecastView = {
  state: 'unknown',
  rate_per_day: null,
  full_at: null,
  earliest: null,
  latest: null,
  reason: 'too_few',
};

export const steady = (rate: number): ForecastView => ({ ...nothingKnown, state: 'steady', rate_per_day: rate, reason: null });

/** Full in so many days, between these. */
export const filling = (rate: number, days: number, early: number, late: number | null): ForecastView => ({
  state: 'filling',
  rate_per_day: rate,
  full_at: Math.round(NOW + days * DAY),
  earliest: Math.round(NOW + early * DAY),
  latest: late === null ? null : Math.round(NOW + late * DAY),
  reason: null,
});

/** A gauge of so much used and available; the rest of the limit is reserved. */
export function gauge(own: Partial<GaugeStatus> & Pick<GaugeStatus, 'id' | 'kind' | 'name'>): GaugeStatus {
  const { used = null, available = null } = own;
  return {
    detail: '/',
    used: null,
    available: null,
    limit: used === null || available === null ? null : used + available,
    baseline: null,
    percent: used === null || available === null ? null : (used / (used + available)) * 100,
    verdict: used === null ? 'unknown' : 'ok',
    cause: null,
    full: false,
    reason: null,
    forecast: nothingKnown,
    as_of: NOW - 4,
    memory: false,
    live: true,
    snoozed_until: null,
    ...own,
  };
}

export function meter(own: Partial<MeterStatus> & Pick<MeterStatus, 'id' | 'kind' | 'name'>): MeterStatus {
  return { detail: '/tmp', value: 0, complete: true, rate_per_day: null, reason: null, as_of: NOW - 12, ...own };
}

export function root(own: Partial<TempRootView> & Pick<TempRootView, 'id' | 'path'>): TempRootView {
  return { why: 'system_temp', owner: 'system', filesystem: 'ext4', memory: false, ...own };
}

/** As Rust shortens a path in a name. */
function middle(path: string): string {
  const plain = path.replace(/[\n\u202e]/g, '\ufffd');
  return plain.length <= 32 ? plain : `${plain.slice(0, 15)}…${plain.slice(-16)}`;
}

/** Both meters of a temp root. */
export function rootMeters(of: TempRootView, bytes: number, entries: number, own: Partial<MeterStatus> = {}, perDay = 0): MeterStatus[] {
  return [
    meter({ id: `root_allocated:${of.id}`, kind: 'root_allocated', name: `Temp folder ${middle(of.path)}`, detail: of.path, value: bytes, rate_per_day: bytes * perDay, ...own }),
    meter({ id: `root_entries:${of.id}`, kind: 'root_entries', name: `Entries in ${middle(of.path)}`, detail: of.path, value: entries, rate_per_day: entries * perDay, ...own }),
  ];
}

/** A disk that was looked into, or not where nothing is known of its inside. */
export function disk(own: Partial<BundleDisk> & Pick<BundleDisk, 'disk' | 'name' | 'role' | 'allocated'>): BundleDisk {
  return {
    apparent: 10_737_418_240,
    guest_used: null,
    guest_size: null,
    sentence: 'Empty parts of the file take no room on this computer. How much of it is used inside is not known now, and so is what could be given back.',
    ...own,
  };
}

export function bundle(own: Partial<BundleView> & Pick<BundleView, 'id' | 'path'>): BundleView {
  return {
    profile: 'claude',
    live: true,
    detour: null,
    files: [
      { name: '.auto_reinstall_attempted', role: 'latch', apparent: 0, allocated: 0 },
      { name: '.rootfs.img.origin', role: 'origin', apparent: 64, allocated: 4096 },
      { name: 'efivars.fd', role: 'identity', apparent: 131_072, allocated: 131_072 },
      { name: 'initrd', role: 'boot', apparent: 21_400_000, allocated: 21_401_600 },
      { name: 'rootfs.img', role: 'system', apparent: 10_737_418_240, allocated: 5_630_000_000 },
      { name: 'rootfs.img.zst', role: 'archive', apparent: 1_190_000_000, allocated: 1_190_002_688 },
      { name: 'sessiondata.img', role: 'session_data', apparent: 10_737_418_240, allocated: 8_540_000_000 },
      { name: 'smol-bin.img', role: 'tools', apparent: 52_428_800, allocated: 52_428_800 },
      { name: 'vmlinuz', role: 'boot', apparent: 14_200_000, allocated: 14_200_832 },
    ],
    disks: [],
    ...own,
  };
}

export function bundleMeter(of: BundleView, own: Partial<MeterStatus> = {}): MeterStatus {
  const value = of.files.reduce((sum, file) => sum + file.allocated, 0);
  return meter({ id: `bundle_allocated:${of.id}`, kind: 'bundle_allocated', name: 'Claude bundle', detail: of.path, value, rate_per_day: 0.54 * GB, ...own });
}

export const empty: Status = {
  schema: 1,
  at: NOW,
  verdict: 'ok',
  summary: 'All is fine: nothing will be full soon',
  advice: '',
  worst: null,
  gauges: [],
  meters: [],
  bundles: [],
  temp_roots: [],
  shapes: [],
  homes: [],
  leftovers: null,
  gaps: [],
  gap_count: 0,
  progress: null,
  measured_at: NOW - 12,
  faults: [],
  label: null,
};

const thresholds = {
  sessions_low_percent: 80,
  sessions_critical_percent: 90,
  sessions_full_percent: 99,
  system_low_available: 1_000_000_000,
  system_critical_available: 300_000_000,
  host_low_available: 15_000_000_000,
  host_critical_available: 5_000_000_000,
  inodes_low_percent: 85,
  inodes_critical_percent: 95,
  low_days: 7,
  critical_hours: 24,
};

export const settings: SettingsView = {
  thresholds,
  default_thresholds: thresholds,
  notifications: true,
  autostart: false,
  daily_notices: 4,
  leftovers: { schedule: false, hours: 24, when_critical: false, discard_after_days: 0 },
  folders: [
    { id: 'f1', kind: 'root', path: '/mnt/scratch/agents/tmp' },
    { id: 'f2', kind: 'user_data', path: '/home/ada/.config/Claude-work' },
  ],
  file: '/home/ada/.config/sandtray/settings.toml',
  version: '0.1.0',
};

"""Frames of video files, by their number in the order of display."""

import functools
from dataclasses import dataclass

import numpy as np

from skrobust._optional import require
from skrobust._validation import check_path
from skrobust.datasets.cut_files import check_duration, why_cut, why_undecodable

VIDEO_SUFFIXES = {".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".webm"}


@dataclass(frozen=True)
class Timeline:
    """Times at which the frames of a video are shown.

    Parameters
    ----------
    stamps : tuple of int
        One per frame, rising, in ticks of the file; empty where the file has none.
    keys : tuple of int
        Stamps at which decoding can begin.
    n : int
        Number of frames.
    tick : float
        Seconds per tick.
    """

    stamps: tuple
    keys: tuple
    n: int
    tick: float

    def times(self, fps):
        """Return the seconds at which the frames are shown, from 0 on."""
        if self.stamps:
            stamps = np.array(self.stamps, dtype=np.float64)
            return (stamps - stamps[0]) * self.tick
        return np.arange(self.n) / fps


def decoder(caller):
    """Return the decoder of videos, or say how to install it."""
    return require("av", caller, extra="video")


def timeline(path, caller):
    """Return the timeline of a video file; nothing is decoded.

    Raises
    ------
    ValueError
        For a file that is no video, has no frame or is cut off; the message is the
        reason alone.
    """
    path = check_path(path, "path", caller)
    decoder(caller)
    try:
        status = path.stat()
    except (OSError, ValueError) as error:  # also a name that no file can have
        raise ValueError("there is no such file") from error
    return _timeline(str(path), status.st_size, status.st_mtime_ns, caller)


@functools.lru_cache(maxsize=256)
def _timeline(path, size, changed, caller):
    av = decoder(caller)
    try:
        with av.open(path) as container:
            stream = _stream(container)
            tick = float(stream.time_base or 0)
            announced = stream.frames
            packets, end = _packets(container, stream)
            check_duration(container, end, len(packets))
    except (av.FFmpegError, IndexError, OSError) as error:
        raise ValueError(why_undecodable(path, error)) from error
    n, stamps = len(packets), [stamp for stamp, _ in packets]
    if n == 0:
        raise ValueError(why_cut(path) or "it has no frames")
    if announced > n:
        raise ValueError(f"it is cut off: {announced} frames are announced, {n} there")
    if None in stamps or len(set(stamps)) < n or not tick:
        return Timeline((), (), n, tick)
    keys = sorted(stamp for stamp, is_key in packets if is_key)
    return Timeline(tuple(sorted(stamps)), tuple(keys), n, tick)


def _packets(container, stream):
    """Return (stamp, is key) of each frame, and the second at which all streams end."""
    packets, end = [], 0.0
    for packet in container.demux():
        if not packet.size or packet.is_discard:
            continue
        if packet.pts is not None:
            last = packet.pts + (packet.duration or 0)
            end = max(end, float(last * packet.time_base))
        if packet.stream_index == stream.index:
            packets.append((packet.pts, packet.is_keyframe))
    return packets, end


def _stream(container):
    if not container.streams.video:
        raise ValueError("it has no pictures, only sound or text")
    stream = container.streams.video[0]
    stream.thread_type = "NONE"  # the caller decides on parallel work
    return stream


def frame_rate(path, caller):
    """Return the average frames per second that a video file states, or None."""
    av = decoder(caller)
    with av.open(str(path)) as container:
        rate = _stream(container).average_rate
    return float(rate) if rate else None


def read_frames(path, frames, caller):
    """Read some frames, one after the other.

    Decoding begins at the last key frame before a wanted frame, so that a few frames
    of a long video do not cost all of it; one frame is in memory at a time.

    Parameters
    ----------
    path : str or path
        The video file.
    frames : list of int
        Rising numbers of frames, from 0.
    caller : str
        Name of the public function or class, for error messages.

    Yields
    ------
    frame : int
        Its number.
    image : ndarray of shape (height, width, 3), uint8
        Its pixels: red, green, blue.

    Raises
    ------
    ValueError
        For what cannot be decoded; the message is the reason alone.
    """
    line = timeline(path, caller)
    beyond = [frame for frame in frames if not 0 <= frame < line.n]
    if beyond:
        raise ValueError(f"it has {line.n} frames, no number {beyond[0]}")
    av = decoder(caller)
    try:
        with av.open(str(path)) as container:
            stream = _stream(container)
            if not line.stamps:
                yield from _in_order(container, stream, frames)
                return
            done = 0
            for number, pixels in _by_stamp(container, stream, line, frames):
                done += 1
                yield number, pixels
        if done < len(frames):  # the file cannot be searched, as MPEG program streams
            with av.open(str(path)) as container:
                stream, left = _stream(container), frames[done:]
                yield from _by_stamp(container, stream, line, left, search=False)
    except (av.FFmpegError, OSError) as error:
        raise ValueError(why_undecodable(path, error)) from error


def _by_stamp(container, stream, line, frames, *, search=True):
    """Yield frames by the times at which they are shown.

    With ``search`` it ends early at a frame that is not found where it should be;
    without, all frames from the first on are decoded, and such a frame is an error.
    """
    reader, last = container.decode(stream), line.stamps[0]
    for number in frames:
        stamp = line.stamps[number]
        key = max((key for key in line.keys if key <= stamp), default=last)
        if search and key > last:
            container.seek(key, stream=stream)
            reader = container.decode(stream)
        shown = (f for f in reader if f.pts is not None and f.pts >= stamp)
        frame = next(shown, None)
        if frame is None or frame.pts != stamp:
            if search:
                return
            raise ValueError(
                f"its frame {number} of {line.n} cannot be decoded, those before it can"
            )
        last = frame.pts
        yield number, _pixels(frame)


def _in_order(container, stream, frames):
    wanted, seen = set(frames), -1
    for seen, frame in enumerate(container.decode(stream)):
        if seen in wanted:
            yield seen, _pixels(frame)
        if seen >= frames[-1]:
            return
    raise ValueError(f"only {seen + 1} of its frames can be decoded")


def _pixels(frame):
    """Return the pixels of a frame, turned and mirrored as the file says."""
    pixels = frame.to_ndarray(format="rgb24")
    matrix = frame.side_data.get("DISPLAYMATRIX")
    if matrix is None:
        return pixels
    # x' = a x + c y and y' = b x + d y, with y downwards.
    a, b, _, c, d = np.frombuffer(bytes(matrix), dtype=np.int32)[:5].tolist()
    right, down = a, d
    if abs(b) > abs(a):
        pixels, right, down = pixels.transpose(1, 0, 2), c, b
    pixels = pixels[:: -1 if down < 0 else 1, :: -1 if right < 0 else 1]
    return np.ascontiguousarray(pixels)

"""Videos in the layouts of the published deepfake sets."""

import numpy as np
import pytest

SIDE = 32


def textured(rng, fake, n=4):
    """Return the frames of a clip, of which fakes have stripes."""
    base = rng.integers(60, 190, (SIDE, SIDE, 3))
    frames = base + rng.integers(-8, 9, (n, SIDE, SIDE, 3))
    frames[:, ::4] += 45 * fake
    return np.clip(frames, 0, 255).astype(np.uint8)


def write_video(path, frames):
    """Write frames as a video, nearly without loss."""
    av = pytest.importorskip("av", reason="no decoder: pip install 'skrobust[video]'")
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt, stream.options = "yuv420p", {"crf": "5"}
        for frame in frames:
            image = av.VideoFrame.from_ndarray(frame, format="rgb24")
            container.mux(stream.encode(image))
        container.mux(stream.encode())


def ffpp_files(n):
    """Return the files of FaceForensics++ with whether they are fakes, in pairs."""
    for k in range(n):
        a, b = f"{2 * k:03d}", f"{2 * k + 1:03d}"
        for name in (a, b):
            yield f"original_sequences/youtube/c23/videos/{name}.mp4", False
        for method in ("Deepfakes", "Face2Face", "FaceSwap", "NeuralTextures"):
            folder = f"manipulated_sequences/{method}/c23/videos"
            yield f"{folder}/{a}_{b}.mp4", True
            yield f"{folder}/{b}_{a}.mp4", True


def celeb_files(n):
    """Return the files of Celeb-DF v2 with whether they are fakes."""
    for k in range(n):
        yield f"Celeb-real/id{k}_0000.mp4", False
        yield f"YouTube-real/{k:05d}.mp4", False
        yield f"Celeb-synthesis/id{k}_id{k + 1}_0000.mp4", True


def uadfv_files(n):
    """Return the files of UADFV with whether they are fakes."""
    for k in range(n):
        yield f"real/{k:04d}.mp4", False
        yield f"fake/{k:04d}_fake.mp4", True


LAYOUTS = {"ffpp": ffpp_files, "celeb_df": celeb_files, "uadfv": uadfv_files}
